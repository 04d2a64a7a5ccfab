// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>

namespace tidemark::reader {

/// A value of the native reader in one word: what it is in the lower four bits, above them the
/// value itself or where it is stored. Stored values are never changed and equal ones are stored
/// once, so that equal words mean equal values for everything but numbers beyond 60 bits and long
/// containers.
struct Slot {
    enum class Kind : std::uint8_t {
        absent, ///< No value: an unused memo entry.
        none,
        boolean, ///< Payload 0 or 1.
        integer, ///< Payload: the number, 60 bits, signed.
        wide_integer, ///< Payload: index of a 64-bit number.
        huge_integer, ///< Beyond 64 bits; not kept.
        floating, ///< Payload: index of a double.
        text, ///< Payload: id in the pool of texts.
        list, ///< A tuple, too. Payload: offset of a stored list.
        dict, ///< Payload: offset of a stored dictionary.
        view, ///< The dictionary the store looks at just now, not stored.
        open, ///< A list or dictionary still being filled. Payload: its index in the machine.
        wrapper, ///< One of the harmless callables. Payload: which.
        gone, ///< Was read and handed on already.
        other, ///< Bytes: nothing that a snapshot holds.
    };

    std::uint64_t word = 0;

    [[nodiscard]] constexpr Kind kind() const
    {
        return static_cast<Kind>(word & 15U);
    }
    [[nodiscard]] constexpr std::uint64_t payload() const
    {
        return word >> 4U;
    }
    [[nodiscard]] constexpr std::int64_t number() const
    {
        return static_cast<std::int64_t>(word) >> 4;
    }
    [[nodiscard]] constexpr bool isAbsent() const
    {
        return word == 0;
    }
    [[nodiscard]] constexpr bool isContainer() const
    {
        return kind() == Kind::list || kind() == Kind::dict;
    }
    static constexpr Slot of(Kind kind, std::uint64_t payload = 0)
    {
        return {(payload << 4U) | static_cast<std::uint64_t>(kind)};
    }
    /// Requires a number of at most 60 bits.
    static constexpr Slot ofNumber(std::int64_t number)
    {
        return of(Kind::integer, static_cast<std::uint64_t>(number));
    }
    friend constexpr bool operator==(Slot, Slot) = default;
};
static_assert(sizeof(Slot) == 8);
using SlotKind = Slot::Kind;

} // namespace tidemark::reader
