// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemark {

/// Hashes with a key that is drawn anew in each run of the program, so that nobody can write a file
/// whose entries all collide. Values differ from run to run: they may decide where something is
/// kept, never what is shown or in which order. A copy hashes like its original.
class KeyedHash {
public:
    KeyedHash();

    /// About a nanosecond per 16 bytes.
    [[nodiscard]] std::uint64_t bytes(std::string_view text) const;
    [[nodiscard]] std::uint64_t number(std::uint64_t n) const
    {
        return fold(n ^ m_key[0], m_key[1]);
    }
    [[nodiscard]] std::uint64_t pair(std::uint64_t a, std::uint64_t b) const
    {
        return fold(fold(a ^ m_key[0], b ^ m_key[1]) ^ m_key[2], m_key[3]);
    }

private:
    __extension__ typedef unsigned __int128 Wide; // for -Wpedantic

    /// Both halves of the product of two 64-bit numbers in one.
    static constexpr std::uint64_t fold(std::uint64_t a, std::uint64_t b)
    {
        const Wide product = static_cast<Wide>(a) * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }

    std::array<std::uint64_t, 4> m_key;
};

/// For unordered containers whose keys are numbers from a file. Never iterate over such a container
/// where order shows.
struct KeyedNumberHash {
    KeyedHash hash;
    std::size_t operator()(std::uint64_t n) const
    {
        return hash.number(n);
    }
    std::size_t operator()(std::int64_t n) const
    {
        return hash.number(static_cast<std::uint64_t>(n));
    }
};

} // namespace tidemark
