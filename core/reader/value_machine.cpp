// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/value_machine.h"

#include "core/base/language.h"

#include <algorithm>
#include <unordered_map>

namespace tidemark::reader {
namespace {

constexpr const char* kUnderflow = toSay("a step has no values to work on");
constexpr const char* kChangedLater = toSay("a value is changed after it was put into another one");
/// Above this many entries, repeated keys are looked for with a table.
constexpr std::size_t kFewEntries = 64;

} // namespace

ValueMachine::ValueMachine(NativeStore& store, EntrySink& sink, const ReaderLimits& limits)
    : m_store(store)
    , m_sink(sink)
    , m_limits(limits)
    , m_key_traces(*store.text("device_traces"))
    , m_key_host_traces(*store.text("host_traces"))
{
}

bool ValueMachine::pop()
{
    if (m_stack.size() > m_floor) {
        m_stack.pop();
        return true;
    }
    std::size_t base = 0;
    return closeMark(base, false); // POP takes a mark off, too.
}

bool ValueMachine::popMark()
{
    std::size_t base = 0;
    if (!closeMark(base, false)) {
        return false;
    }
    m_stack.shrink(base);
    return true;
}

bool ValueMachine::duplicate()
{
    if (top().isAbsent()) {
        return decline(kUnderflow);
    }
    if (top().kind() == SlotKind::open) {
        return decline(toSay("an unfinished value is doubled"));
    }
    m_stack.push(m_stack.top());
    return true;
}

bool ValueMachine::emptyList()
{
    std::int32_t device = 0;
    const Role role = roleOfNewList(device);
    const std::uint64_t index = newOpen(false);
    m_open[index].role = role;
    m_open[index].device = device;
    push(Slot::of(SlotKind::open, index));
    return true;
}

bool ValueMachine::emptyDict()
{
    if (m_stack.size() - m_floor >= kWaitingEntries && !handOnFinishedSiblings()) {
        return false;
    }
    const std::uint64_t index = newOpen(true);
    m_open[index].role = m_stack.isEmpty() ? Role::root : Role::plain;
    push(Slot::of(SlotKind::open, index));
    return true;
}

std::uint64_t ValueMachine::newOpen(bool is_dict)
{
    std::uint64_t index = m_open.size();
    if (m_free.empty()) {
        m_open.emplace_back();
    } else {
        index = m_free.back();
        m_free.pop_back();
    }
    m_open[index].is_dict = is_dict;
    return index;
}

void ValueMachine::release(std::uint64_t index)
{
    constexpr std::size_t kKeptCapacity = 256;
    Open& o = m_open[index];
    m_open_items -= o.items.size();
    std::vector<Slot> items = std::move(o.items);
    items.clear();
    if (items.capacity() > kKeptCapacity) {
        items.shrink_to_fit();
    }
    o = Open();
    o.items = std::move(items);
    m_free.push_back(index);
}

bool ValueMachine::tupleOfTop(std::size_t count)
{
    if (m_stack.size() - m_floor < count) {
        return decline(kUnderflow);
    }
    const std::size_t begin = m_stack.size() - count;
    for (std::size_t i = begin; i < m_stack.size(); ++i) {
        m_stack[i] = seal(m_stack[i]);
        if (m_stack[i].isAbsent()) {
            return false;
        }
    }
    const Slot tuple = m_store.list(m_stack.from(begin));
    m_stack.shrink(begin);
    push(tuple);
    return m_store.depthOf(tuple) <= m_limits.max_nesting || decline(toSay("values nest too deep"));
}

bool ValueMachine::tupleFromMark()
{
    std::size_t base = 0;
    return closeMark(base, false) && tupleOfTop(m_stack.size() - base);
}

std::vector<Slot> ValueMachine::itemsFrom(std::size_t base)
{
    const std::span<Slot> items = m_stack.from(base);
    return {items.begin(), items.end()};
}

// Protocols 0 and 1 open a list or a dictionary so, mostly an empty one that is filled afterwards.
bool ValueMachine::listFromMark()
{
    std::size_t base = 0;
    if (!closeMark(base, false)) {
        return false;
    }
    const std::vector<Slot> items = itemsFrom(base);
    m_stack.shrink(base);
    if (!emptyList()) {
        return false;
    }
    std::ranges::for_each(items, [this](Slot item) { push(item); });
    return extend(base, base + 1);
}

bool ValueMachine::dictFromMark()
{
    std::size_t base = 0;
    if (!closeMark(base, false)) {
        return false;
    }
    const std::vector<Slot> items = itemsFrom(base);
    m_stack.shrink(base);
    if (!emptyDict()) {
        return false;
    }
    if (m_stack.size() != base + 1) {
        return decline(toSay("a dictionary is built from values used elsewhere"));
    }
    std::ranges::for_each(items, [this](Slot item) { push(item); });
    return fill(base, base + 1);
}

bool ValueMachine::closeMark(std::size_t& base, bool may_be_handed_on)
{
    if (m_marks.empty()) {
        return decline(toSay("a mark is missing"));
    }
    if (m_marks.back().handed_on && !may_be_handed_on) {
        return decline(toSay("trace entries are removed"));
    }
    base = m_marks.back().base;
    m_marks.pop_back();
    m_floor = m_marks.empty() ? 0 : m_marks.back().base;
    return true;
}

bool ValueMachine::append()
{
    if (m_stack.size() < m_floor + 2) {
        return decline(kUnderflow);
    }
    return extend(m_stack.size() - 2, m_stack.size() - 1);
}

bool ValueMachine::appends()
{
    std::size_t base = 0;
    if (!closeMark(base, true)) {
        return false;
    }
    if (base <= m_floor) {
        return decline(kUnderflow);
    }
    return extend(base - 1, base);
}

bool ValueMachine::setItem()
{
    if (m_stack.size() < m_floor + 3) {
        return decline(kUnderflow);
    }
    return fill(m_stack.size() - 3, m_stack.size() - 2);
}

bool ValueMachine::setItems(bool is_last)
{
    std::size_t base = 0;
    if (!closeMark(base, false)) {
        return false;
    }
    if (base <= m_floor) {
        return decline(kUnderflow);
    }
    const std::size_t above = m_stack.size() - base;
    if (is_last && handOnAtOnce(base)) {
        return true;
    }
    base = m_stack.size() - above; // Others may have been handed on instead.
    return fill(base - 1, base);
}

/// The values from `begin` on become items of the list at `target`.
bool ValueMachine::extend(std::size_t target, std::size_t begin)
{
    const Slot list = m_stack[target];
    if (list.kind() != SlotKind::open || open(list).is_dict) {
        return decline(toSay("items are added to a finished or missing list"));
    }
    if (!open(list).sealed.isAbsent()) {
        return decline(kChangedLater);
    }
    if (open(list).role == Role::trace) {
        return handOn(list.payload(), begin, m_stack.size());
    }
    const std::span<Slot> items = m_stack.from(begin);
    if (open(list).role == Role::traces && !addTraces(open(list), items)) {
        return false;
    }
    for (Slot& item : items) {
        item = seal(item);
        if (item.isAbsent()) {
            return false;
        }
    }
    Open& o = open(list);
    o.items.insert(o.items.end(), items.begin(), items.end());
    m_open_items += items.size();
    m_stack.shrink(begin);
    return true;
}

/// The values from `begin` on become keys and values of the dictionary at `target`.
bool ValueMachine::fill(std::size_t target, std::size_t begin)
{
    const Slot dict = m_stack[target];
    if (dict.kind() != SlotKind::open || !open(dict).is_dict) {
        return decline(toSay("entries are added to a finished or missing dictionary"));
    }
    if (!open(dict).sealed.isAbsent()) {
        return decline(kChangedLater);
    }
    if ((m_stack.size() - begin) % 2 != 0) {
        return decline(toSay("a dictionary has a key without value"));
    }
    for (std::size_t i = begin; i < m_stack.size(); i += 2) {
        const Slot key = m_stack[i];
        if (key.kind() != SlotKind::text) {
            return decline(toSay("a dictionary has non-string keys"));
        }
        if (open(dict).role == Role::root && !setRootItem(open(dict), key, m_stack[i + 1])) {
            return false;
        }
        m_stack[i + 1] = seal(m_stack[i + 1]);
        if (m_stack[i + 1].isAbsent()) {
            return false;
        }
        Open& o = open(dict);
        const std::uint64_t bit = std::uint64_t{1} << (key.payload() % 64);
        o.may_repeat = o.may_repeat || (o.key_bits & bit) != 0;
        o.key_bits |= bit;
    }
    Open& o = open(dict);
    const std::span<Slot> entries = m_stack.from(begin);
    o.items.insert(o.items.end(), entries.begin(), entries.end());
    m_open_items += m_stack.size() - begin;
    m_stack.shrink(begin);
    return true;
}

void ValueMachine::dropRepeatedKeys(Open& dict) const
{
    std::vector<Slot>& items = dict.items;
    std::unordered_map<std::uint64_t, std::size_t> places;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        std::size_t place = kept;
        if (items.size() > 2 * kFewEntries) {
            place = places.try_emplace(items[i].word, kept).first->second;
        } else {
            for (std::size_t k = 0; k < kept; k += 2) {
                place = items[k] == items[i] ? k : place;
            }
        }
        items[place] = items[i]; // The last value counts, in the place of the first.
        items[place + 1] = items[i + 1];
        kept += place == kept ? 2U : 0U;
    }
    items.resize(kept);
    dict.may_repeat = false;
}

bool ValueMachine::put(std::uint64_t index)
{
    if (top().isAbsent()) {
        return decline(kUnderflow);
    }
    if (index > m_memo.used() + m_limits.max_memo_gap) {
        return decline(toSay("the memo has gaps"));
    }
    if (!m_memo.get(index).isAbsent()) {
        return decline(toSay("a number of the memo is used twice"));
    }
    const Slot slot = m_stack.top();
    if (slot.kind() == SlotKind::open) {
        Open& o = open(slot);
        if (o.memo != kNoMemo) {
            return decline(toSay("an unfinished value has two numbers in the memo"));
        }
        if (!o.sealed.isAbsent()) {
            m_memo.put(index, o.sealed);
            return true;
        }
        o.memo = index;
    }
    m_memo.put(index, slot);
    return true;
}

bool ValueMachine::getContainer(std::uint64_t index)
{
    const Slot slot = finished(index);
    if (slot.isAbsent()) {
        return false;
    }
    push(slot);
    return true;
}

Slot ValueMachine::finished(std::uint64_t index)
{
    const Slot slot = m_memo.get(index);
    if (slot.isAbsent() || slot.kind() == SlotKind::gone) {
        m_reason = slot.isAbsent() ? toSay("a number of the memo is not in use")
                                   : toSay("a trace entry is used a second time");
        return {};
    }
    return slot.kind() == SlotKind::open ? sealOpen(slot.payload(), true) : slot;
}

bool ValueMachine::takeTwo(Slot& lower, Slot& upper)
{
    if (m_stack.size() < m_floor + 2) {
        return decline(kUnderflow);
    }
    upper = m_stack.top();
    lower = m_stack[m_stack.size() - 2];
    m_stack.shrink(m_stack.size() - 2);
    return true;
}

bool ValueMachine::takeFinished(Slot& value)
{
    if (top().isAbsent()) {
        return decline(kUnderflow);
    }
    value = seal(m_stack.top());
    m_stack.pop();
    return !value.isAbsent();
}

Slot ValueMachine::seal(Slot slot)
{
    return slot.kind() == SlotKind::open ? sealOpen(slot.payload(), false) : slot;
}

/// `keep`: somebody else than the caller still holds it, namely its place on the stack.
Slot ValueMachine::sealOpen(std::uint64_t index, bool keep)
{
    Open& o = m_open[index];
    Slot result = o.sealed;
    if (result.isAbsent()) {
        if (o.handed_on) {
            m_reason = toSay("a trace is not where it seemed to be");
            return {};
        }
        if (o.may_repeat) {
            dropRepeatedKeys(o);
        }
        result = o.is_dict ? m_store.dict(o.items) : m_store.list(o.items);
        if (m_store.depthOf(result) > m_limits.max_nesting) {
            m_reason = toSay("values nest too deep");
            return {};
        }
        if (o.memo != kNoMemo) {
            m_memo.put(o.memo, result);
        }
        o.sealed = result;
    }
    if (!keep) {
        release(index);
    }
    return result;
}

std::uint64_t ValueMachine::memoryBytes() const
{
    // What lies on the stack or in an open container goes into the store in one step, and is then
    // there twice until that step ends.
    return m_store.memoryBytes() + m_memo.memoryBytes() + m_stack.memoryBytes()
        + m_open.capacity() * sizeof(Open) + m_marks.capacity() * sizeof(Mark)
        + (2 * m_stack.size() + 3 * m_open_items) * sizeof(Slot);
}

} // namespace tidemark::reader
