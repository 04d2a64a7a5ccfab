// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/reader/pickle_literals.h"
#include "core/reader/pickle_opcodes.h"
#include "core/reader/pickle_program.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>

// The opcodes that the snapshots of today's torch do not use, or once per file.

namespace tidemark::reader {
namespace {

WrapperArgument argumentOf(NativeStore& store, Slot slot)
{
    const ValueTree::Value value = store.value(NativeStore::nodeOf(slot));
    switch (value.kind) {
    case NodeKind::text:
        return {ArgumentKind::text, value.text, 0};
    case NodeKind::integer:
        return {ArgumentKind::integer, {}, value.integer};
    case NodeKind::list:
        return {ArgumentKind::list, {}, 0};
    case NodeKind::dict:
        return {ArgumentKind::dict, {}, 0};
    default:
        return {};
    }
}

} // namespace

PickleProgram::Step PickleProgram::runRare(const unsigned char*& at)
{
    const unsigned char op = *at++;
    switch (op) {
    case '.': // STOP
        return Step::stopped;
    case 0x80: // PROTO
        if (static_cast<std::uint64_t>(at - bytesAt(0)) != 1 || *at > kHighestProtocol) {
            return decline(toSay("its header makes no sense"));
        }
        m_protocol = *at++;
        return Step::ok;
    case ')': // EMPTY_TUPLE
        return asStep(m_machine.tupleOfTop(0));
    case 0x85: // TUPLE1 to TUPLE3
    case 0x86:
    case 0x87:
        return asStep(m_machine.tupleOfTop(op - 0x84U));
    case 't': // TUPLE
        return asStep(m_machine.tupleFromMark());
    case 'l': // LIST
        return asStep(m_machine.listFromMark());
    case 'd': // DICT
        return asStep(m_machine.dictFromMark());
    case '0': // POP
        return asStep(m_machine.pop());
    case '1': // POP_MARK
        return asStep(m_machine.popMark());
    case '2': // DUP
        return asStep(m_machine.duplicate());
    case 'G': // BINFLOAT
        at += 8;
        m_machine.push(floatFromBytes(m_store, at - 8));
        return Step::ok;
    case 0x8b: { // LONG4
        at += 4;
        std::string_view bytes;
        if (!counted(at, littleEndian<std::uint32_t>(at - 4), bytes)
            || bytes.size() > 0x7fffffffU) {
            return Step::failed;
        }
        m_machine.push(integerFromBytes(m_store, bytes));
        return Step::ok;
    }
    case 0x8d: // BINUNICODE8
        at += 8;
        return asStep(text(at, littleEndian<std::uint64_t>(at - 8), false));
    case 'U': { // SHORT_BINSTRING
        const std::uint64_t length = *at++;
        return asStep(text(at, length, true));
    }
    case 'T': // BINSTRING
        at += 4;
        return asStep(text(at, littleEndian<std::uint32_t>(at - 4), true));
    case 0x93: // STACK_GLOBAL
        return asStep(stackGlobal());
    case 'R': // REDUCE
        return asStep(reduce());
    default:
        --at;
        return runLine(at);
    }
}

PickleProgram::Step PickleProgram::runLine(const unsigned char*& at)
{
    const unsigned char op = *at;
    if (std::string_view("ILFVSpgc").find(static_cast<char>(op)) == std::string_view::npos) {
        return decline(toSay("it has an instruction that plain data do not need"));
    }
    ++at;
    std::string_view content;
    if (!line(at, content)) {
        return Step::failed;
    }
    if (op == 'c') { // GLOBAL
        std::string_view name;
        return asStep(line(at, name) && pushWrapper(content, name));
    }
    if (op == 'p' || op == 'g') { // PUT and GET
        std::uint64_t index = 0;
        const auto [end, problem] =
            std::from_chars(content.data(), content.data() + content.size(), index);
        if (problem != std::errc() || end != content.data() + content.size()) {
            return decline(toSay("a number makes no sense"));
        }
        return asStep(op == 'p' ? m_machine.put(index) : m_machine.get(index));
    }
    if ((op == 'I' || op == 'L' || op == 'F') && content.size() >= kLongestNumber) {
        return decline(toSay("a number is too long"));
    }
    std::optional<Slot> value;
    switch (op) {
    case 'I':
    case 'L':
        value = integerFromLine(m_store, content, op == 'L');
        break;
    case 'F':
        value = floatFromLine(m_store, content);
        break;
    case 'V':
        value = textFromLine(m_store, content);
        break;
    default:
        value = textFromQuoted(m_store, content);
    }
    if (!value) {
        return decline(toSay("a value is written in an unusual way"));
    }
    m_machine.push(*value);
    return Step::ok;
}

/// Text up to a newline, which is passed.
bool PickleProgram::line(const unsigned char*& at, std::string_view& text)
{
    const std::uint64_t begin = static_cast<std::uint64_t>(at - bytesAt(0));
    std::uint64_t seen = begin;
    while (true) {
        const std::string_view more = bytesView(bytesAt(seen), std::max(m_available, seen) - seen);
        const std::size_t newline = more.find('\n');
        if (newline != std::string_view::npos) {
            text = bytesView(at, seen + newline - begin);
            at += text.size() + 1;
            return true;
        }
        seen = std::max(m_available, seen);
        std::string_view next;
        const unsigned char* end = bytesAt(seen);
        if (!counted(end, 1, next)) {
            return false;
        }
    }
}

/// GLOBAL and STACK_GLOBAL push a harmless callable or none.
bool PickleProgram::pushWrapper(std::string_view module, std::string_view name)
{
    const std::optional<Wrapper> wrapper = wrapperFromName(module, name);
    if (!wrapper) {
        m_reason = toSay("it names something to be run");
        return false;
    }
    m_machine.push(Slot::of(SlotKind::wrapper, static_cast<std::uint64_t>(*wrapper)));
    return true;
}

bool PickleProgram::stackGlobal()
{
    Slot module;
    Slot name;
    if (!m_machine.takeTwo(module, name)) {
        return false;
    }
    if (module.kind() != SlotKind::text || name.kind() != SlotKind::text) {
        m_reason = toSay("it names something to be run");
        return false;
    }
    return pushWrapper(m_store.rawText(module), m_store.rawText(name));
}

/// REDUCE: reshapes, never calls.
bool PickleProgram::reduce()
{
    Slot callable;
    Slot tuple;
    if (!m_machine.takeTwo(callable, tuple)) {
        return false;
    }
    std::array<WrapperArgument, kMaxWrapperArguments> arguments;
    const std::span<const Slot> items =
        tuple.kind() == SlotKind::list ? m_store.itemsOf(tuple) : std::span<const Slot>();
    if (callable.kind() != SlotKind::wrapper || tuple.kind() != SlotKind::list
        || items.size() > arguments.size()) {
        m_reason = toSay("it asks for a call");
        return false;
    }
    std::ranges::transform(items, arguments.begin(),
                           [this](Slot item) { return argumentOf(m_store, item); });
    const std::span<const WrapperArgument> given = std::span(arguments).first(items.size());
    const auto wrapper = static_cast<Wrapper>(callable.payload());
    if (!takesArguments(wrapper, given)) {
        m_reason = toSay("it asks for a call");
        return false;
    }
    if (wrapper == Wrapper::ordered_dict) {
        return m_machine.emptyDict();
    }
    const std::optional<Slot> result =
        wrapper == Wrapper::device ? m_store.text(deviceText(given)) : items.front();
    m_machine.push(*result);
    return true;
}

} // namespace tidemark::reader
