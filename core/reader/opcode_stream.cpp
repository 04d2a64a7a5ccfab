// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/opcode_stream.h"

#include <charconv>
#include <system_error>

namespace tidemark::reader {
namespace {

using State = Argument::State;

Argument failed(State state)
{
    return {state, 0, {}, 0};
}

std::optional<std::int64_t> decimal(std::string_view text)
{
    std::int64_t number = 0;
    const char* last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(text.data(), last, number);
    return problem == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

} // namespace

Argument OpcodeStream::argumentAt(std::uint64_t offset) const
{
    const std::uint64_t begin = offset + 1;
    const Opcode& opcode = opcodeAt(offset);
    switch (opcode.argument) {
    case OpArgument::none:
        return {State::ok, 0, {}, begin};
    case OpArgument::bytes1:
        return fixed(begin, 1);
    case OpArgument::bytes2:
        return fixed(begin, 2);
    case OpArgument::bytes4:
        return fixed(begin, 4);
    case OpArgument::bytes8:
        return fixed(begin, 8);
    case OpArgument::counted1:
        return counted(begin, 1, false);
    case OpArgument::counted4:
        return counted(begin, 4, false);
    case OpArgument::counted4_signed:
        return counted(begin, 4, true);
    case OpArgument::counted8:
        return counted(begin, 8, true);
    case OpArgument::line:
        return line(begin);
    case OpArgument::number_line:
        return numberLine(begin, opcode.effect);
    case OpArgument::two_lines:
        return twoLines(begin);
    }
    return failed(State::senseless);
}

std::optional<std::int64_t> OpcodeStream::smallIntegerAt(std::uint64_t offset) const
{
    const Argument argument = argumentAt(offset);
    switch (codeAt(offset)) {
    case 'J': // BININT
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(argument.number));
    case 'K': // BININT1
    case 'M': // BININT2
        return static_cast<std::int64_t>(argument.number);
    case 'I': // INT
        if (argument.text == "00" || argument.text == "01") {
            return {}; // the bools of protocol 1
        }
        return decimal(argument.text);
    case 'L': // LONG
        return decimal(argument.text.substr(0, argument.text.find('L')));
    default:
        return {};
    }
}

Argument OpcodeStream::fixed(std::uint64_t begin, unsigned width) const
{
    if (width > m_text.size() - begin) {
        return failed(State::cut_off);
    }
    std::uint64_t number = 0;
    for (unsigned i = width; i-- > 0;) {
        number = (number << 8U) | codeAt(begin + i);
    }
    return {State::ok, number, {}, begin + width};
}

Argument OpcodeStream::counted(std::uint64_t begin, unsigned width, bool is_signed) const
{
    const Argument length = fixed(begin, width);
    if (length.state != State::ok) {
        return length;
    }
    if (is_signed && (length.number >> (width * 8 - 1)) != 0) {
        return failed(State::senseless);
    }
    if (length.number > m_text.size() - length.end) {
        return failed(State::cut_off);
    }
    return {State::ok, length.number, m_text.substr(length.end, length.number),
            length.end + length.number};
}

Argument OpcodeStream::line(std::uint64_t begin) const
{
    const std::size_t newline = m_text.find('\n', begin);
    if (newline == std::string_view::npos) {
        return failed(State::cut_off);
    }
    return {State::ok, 0, m_text.substr(begin, newline - begin), newline + 1};
}

Argument OpcodeStream::numberLine(std::uint64_t begin, OpEffect effect) const
{
    const std::string_view window = m_text.substr(begin, kLongestNumber);
    const std::size_t newline = window.find('\n');
    if (newline == std::string_view::npos) {
        return failed(window.size() == kLongestNumber ? State::senseless : State::cut_off);
    }
    Argument result{State::ok, 0, window.substr(0, newline), begin + newline + 1};
    if (effect == OpEffect::put || effect == OpEffect::get) {
        // The unpickler takes anything that Python's int() does; picklers write plain digits.
        const char* last = result.text.data() + result.text.size();
        const auto [end, problem] = std::from_chars(result.text.data(), last, result.number);
        if (problem != std::errc() || end != last) {
            return failed(State::senseless);
        }
    }
    return result;
}

Argument OpcodeStream::twoLines(std::uint64_t begin) const
{
    const Argument first = line(begin);
    const Argument second = first.state == State::ok ? line(first.end) : first;
    if (second.state != State::ok) {
        return second;
    }
    return {State::ok, 0, m_text.substr(begin, second.end - 1 - begin), second.end};
}

} // namespace tidemark::reader
