// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/reader/value_machine.h"

#include <algorithm>

// The part of the machine that knows what a snapshot looks like: which lists are traces, and what
// becomes of them when the stream ends too early.

namespace tidemark::reader {
namespace {

} // namespace

bool ValueMachine::isOpenList(Slot slot, Role role) const
{
    return slot.kind() == SlotKind::open && m_open[slot.payload()].role == role
        && !m_open[slot.payload()].is_dict;
}

// The key that a new list belongs to lies below it, or the list it becomes an item of: directly or
// below the mark that collects its items.
ValueMachine::Role ValueMachine::roleOfNewList(std::int32_t& device) const
{
    if (m_stack.isEmpty() || m_marks.size() > 2) {
        return Role::plain;
    }
    const Slot below = m_stack.top();
    const bool is_root_value = m_stack.bottom().kind() == SlotKind::open
        && m_open[m_stack.bottom().payload()].role == Role::root
        && m_floor == (m_marks.empty() ? 0 : 1) && m_stack.size() % 2 == 0;
    if (is_root_value && below == m_key_traces) {
        return Role::traces;
    }
    if (is_root_value && below == m_key_host_traces) {
        device = -1;
        return Role::trace;
    }
    std::size_t index = kNoIndex;
    if (isOpenList(below, Role::traces)) {
        index = m_open[below.payload()].items.size();
    } else if (m_floor > 0 && m_floor < m_stack.size()
               && isOpenList(m_stack[m_floor - 1], Role::traces)) {
        index = m_open[m_stack[m_floor - 1].payload()].items.size() + m_stack.size() - m_floor;
    }
    if (index >= m_limits.max_devices) {
        return Role::plain;
    }
    device = static_cast<std::int32_t>(index);
    return Role::trace;
}

void ValueMachine::claim(Open& list)
{
    m_loose += list.handed_on ? 0U : 1U;
    list.handed_on = true;
}

/// What was handed on for `from` is from now on a part of `to`.
void ValueMachine::moveClaim(Open& from, Open& to)
{
    if (!from.handed_on) {
        return;
    }
    from.handed_on = false;
    m_loose -= to.handed_on ? 1U : 0U;
    to.handed_on = true;
}

/// Each trace must stand where its entries were handed on for; it counts as in place then.
bool ValueMachine::addTraces(Open& list, std::span<Slot> items)
{
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!isOpenList(items[i], Role::trace)) {
            continue;
        }
        Open& trace = open(items[i]);
        if (trace.handed_on) {
            if (static_cast<std::size_t>(trace.device) != list.items.size() + i
                || !trace.sealed.isAbsent()) {
                return decline(toSay("a trace is not where it seemed to be"));
            }
            moveClaim(trace, list);
        }
    }
    return true;
}

/// The values from `begin` to `end` on the stack are the next entries of a trace.
bool ValueMachine::handOn(std::uint64_t list, std::size_t begin, std::size_t end)
{
    const std::int32_t device = m_open[list].device;
    if (end > begin) {
        claim(m_open[list]);
    }
    for (std::size_t i = begin; i < end; ++i) {
        const Slot slot = m_stack[i];
        const bool is_fresh_dict =
            slot.kind() == SlotKind::open && open(slot).is_dict && open(slot).sealed.isAbsent();
        if (!is_fresh_dict) {
            const Slot value = seal(slot);
            if (value.isAbsent()) {
                return false;
            }
            m_sink.entry(NativeStore::nodeOf(value), device);
            continue;
        }
        Open& entry = open(slot);
        if (entry.may_repeat) {
            dropRepeatedKeys(entry);
        }
        m_sink.entry(NativeStore::nodeOf(m_store.view(entry.items)), device);
        if (entry.memo != kNoMemo) {
            m_memo.put(entry.memo, Slot::of(SlotKind::gone));
        }
        release(slot.payload());
    }
    m_entries += end - begin;
    m_stack.remove(begin, end);
    return true;
}

/// Below `base` lies a dictionary, filled for the first and last time by what lies above it. If it
/// is an entry of a trace and plain, it never needs to be stored. False: nothing was done, or as
/// reason() says.
bool ValueMachine::handOnAtOnce(std::size_t base)
{
    if (m_floor == 0 || !isOpenList(m_stack[m_floor - 1], Role::trace)
        || m_stack[base - 1].kind() != SlotKind::open) {
        return false;
    }
    const std::uint64_t list_index = m_stack[m_floor - 1].payload();
    if (base - 1 > m_floor) {
        // Others that were not plain wait before it.
        const std::size_t waiting = base - 1 - m_floor;
        if (!m_open[list_index].sealed.isAbsent() || !handOn(list_index, m_floor, base - 1)) {
            return false;
        }
        m_marks.back().handed_on = true;
        base -= waiting;
    }
    Open& list = m_open[list_index];
    Open& entry = open(m_stack[m_floor]);
    if (!entry.is_dict || !entry.items.empty() || !entry.sealed.isAbsent()
        || !list.sealed.isAbsent() || !m_sink.plainEntry(m_stack.from(base), list.device)) {
        return false;
    }
    claim(list);
    m_marks.back().handed_on = true;
    ++m_entries;
    if (entry.memo != kNoMemo) {
        m_memo.put(entry.memo, Slot::of(SlotKind::gone));
    }
    release(m_stack[m_floor].payload());
    m_stack.shrink(m_floor);
    return true;
}

// torch's C++ writer puts all entries of a trace between one mark and its end.
bool ValueMachine::handOnFinishedSiblings()
{
    if (m_marks.empty() || m_floor == 0 || !isOpenList(m_stack[m_floor - 1], Role::trace)
        || !open(m_stack[m_floor - 1]).sealed.isAbsent()) {
        return true;
    }
    m_marks.back().handed_on = true;
    return handOn(m_stack[m_floor - 1].payload(), m_floor, m_stack.size());
}

/// Once entries of a trace were handed on, it must end up as this value of the root, once.
bool ValueMachine::setRootItem(Open& root, Slot key, Slot value)
{
    if (key != m_key_traces && key != m_key_host_traces) {
        return true;
    }
    bool& placed = key == m_key_traces ? m_traces_placed : m_host_placed;
    const Role role = key == m_key_traces ? Role::traces : Role::trace;
    if (isOpenList(value, role) && (role == Role::traces || open(value).device == -1)
        && open(value).sealed.isAbsent()) {
        moveClaim(open(value), root);
    }
    if (placed && m_entries > 0) {
        return decline(toSay("a key of the snapshot comes twice"));
    }
    placed = true;
    return true;
}

Slot ValueMachine::root()
{
    if (m_stack.isEmpty()) {
        m_reason = toSay("a step has no values to work on");
        return {};
    }
    const Slot last = m_stack.top();
    if (last.kind() == SlotKind::open && open(last).role == Role::root && open(last).handed_on) {
        open(last).handed_on = false;
        --m_loose;
    }
    if (m_loose != 0) {
        m_reason = toSay("the snapshot is inside another value");
        return {};
    }
    return seal(last);
}

Slot ValueMachine::salvage()
{
    if (m_stack.isEmpty() || m_stack.bottom().kind() != SlotKind::open
        || !open(m_stack.bottom()).sealed.isAbsent()) {
        return {};
    }
    while (!m_marks.empty()) {
        const std::size_t base = m_marks.back().base;
        if (base == 1) {
            break; // The root's own.
        }
        if (base == 0 || !closeForSalvage(base)) {
            return {};
        }
    }
    if (!m_marks.empty()) {
        m_marks.clear();
        m_floor = 0;
    }
    const bool is_dict = open(m_stack.bottom()).is_dict;
    const bool is_closed = is_dict ? closeRootForSalvage() : extend(0, 1);
    return is_closed ? root() : Slot();
}

/// Closes the innermost mark. A list keeps what it has; a dictionary is not complete, so it goes.
bool ValueMachine::closeForSalvage(std::size_t base)
{
    const bool is_on_mark = m_marks.size() > 1 && m_marks[m_marks.size() - 2].base == base;
    const Slot target = m_stack[base - 1];
    if (is_on_mark) {
        // What was to become a value of the list that the outer mark is for.
        m_marks.pop_back();
        m_stack.shrink(base);
    } else if (target.kind() != SlotKind::open || open(target).is_dict) {
        m_marks.pop_back();
        m_stack.shrink(base - 1);
    } else {
        const Role role = open(target).role;
        noteCut(target);
        noteCut(m_stack.top());
        while (m_stack.size() > base && !isCompleteItem(m_stack.top(), role)) {
            m_stack.pop();
        }
        m_marks.pop_back();
        if (open(target).sealed.isAbsent() && !extend(base - 1, base)) {
            return false;
        }
        m_stack.shrink(base);
    }
    m_floor = m_marks.empty() ? 0 : m_marks.back().base;
    return true;
}

/// The innermost trace that is open is the one in which the stream breaks off.
void ValueMachine::noteCut(Slot slot)
{
    if (!m_cut_device && isOpenList(slot, Role::trace)) {
        m_cut_device = open(slot).device;
    }
}

bool ValueMachine::isCompleteItem(Slot slot, Role list) const
{
    if (list == Role::traces) {
        return isOpenList(slot, Role::trace);
    }
    const bool is_empty_dict = slot.kind() == SlotKind::open && m_open[slot.payload()].is_dict
        && m_open[slot.payload()].items.empty() && m_open[slot.payload()].sealed.isAbsent();
    return !is_empty_dict;
}

/// Behind the root lie keys and values in turn; behind the last value the trace that was to become
/// its only item.
bool ValueMachine::closeRootForSalvage()
{
    std::size_t end = 1;
    while (end + 1 < m_stack.size() && m_stack[end].kind() == SlotKind::text) {
        end += 2;
    }
    if (end < m_stack.size() && end > 1 && isOpenList(m_stack[end - 1], Role::traces)
        && isOpenList(m_stack[end], Role::trace)) {
        m_stack.shrink(end + 1);
        noteCut(m_stack.top());
        if (!extend(end - 1, end)) {
            return false;
        }
    }
    m_stack.shrink(std::min(end, m_stack.size()));
    return fill(0, 1);
}

} // namespace tidemark::reader
