// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/pickle_opcodes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tidemark::reader {

/// The argument of one opcode.
struct Argument {
    enum class State : std::uint8_t {
        ok,
        cut_off, ///< The bytes end before the argument does.
        senseless, ///< A negative length, or a number that is none.
    };

    State state = State::ok;
    std::uint64_t number =
        0; ///< Of a fixed argument, of counted bytes their count, of PUT and GET the index.
    std::string_view text{}; ///< Counted bytes, or a line; two lines with the newline between them.
    std::uint64_t end = 0; ///< Offset of the next opcode.
};

/// The bytes of a pickle as opcodes with arguments. Every length is held against the bytes that are
/// there.
class OpcodeStream {
public:
    explicit OpcodeStream(std::span<const std::byte> bytes)
        : m_text(reinterpret_cast<const char*>(bytes.data()), bytes.size())
    {
    }

    [[nodiscard]] std::uint64_t size() const
    {
        return m_text.size();
    }
    /// The byte at `offset`. Requires offset < size().
    [[nodiscard]] unsigned char codeAt(std::uint64_t offset) const
    {
        return static_cast<unsigned char>(m_text[offset]);
    }
    [[nodiscard]] const Opcode& opcodeAt(std::uint64_t offset) const
    {
        return kOpcodes[codeAt(offset)];
    }
    /// What follows the opcode at `offset`. O(1), for lines O(length).
    [[nodiscard]] Argument argumentAt(std::uint64_t offset) const;
    /// The value of an opcode that makes an integer of at most 64 bits in the way picklers write
    /// small ones; nothing for any other opcode.
    [[nodiscard]] std::optional<std::int64_t> smallIntegerAt(std::uint64_t offset) const;

private:
    [[nodiscard]] Argument fixed(std::uint64_t begin, unsigned width) const;
    [[nodiscard]] Argument counted(std::uint64_t begin, unsigned width, bool is_signed) const;
    [[nodiscard]] Argument line(std::uint64_t begin) const;
    [[nodiscard]] Argument numberLine(std::uint64_t begin, OpEffect effect) const;
    [[nodiscard]] Argument twoLines(std::uint64_t begin) const;

    std::string_view m_text;
};

} // namespace tidemark::reader
