// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/keyed_hash.h"

#include <cstring>
#include <random>

namespace tidemark {
namespace {

std::array<std::uint64_t, 4> drawKey()
{
    std::random_device random;
    std::array<std::uint64_t, 4> key{};
    for (std::uint64_t& word : key) {
        // An odd word cannot be zero, which would make every product zero.
        word = (static_cast<std::uint64_t>(random()) << 32) | random() | 1U;
    }
    return key;
}

const std::array<std::uint64_t, 4>& keyOfThisRun()
{
    static const std::array<std::uint64_t, 4> key = drawKey();
    return key;
}

template <class Word>
std::uint64_t load(const char* from)
{
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

} // namespace

KeyedHash::KeyedHash()
    : m_key(keyOfThisRun())
{
}

std::uint64_t KeyedHash::bytes(std::string_view text) const
{
    const char* at = text.data();
    std::size_t left = text.size();
    std::uint64_t even = m_key[0];
    std::uint64_t odd = m_key[1];
    // Two chains, so that one multiplication need not wait for the other.
    for (; left > 32; at += 32, left -= 32) {
        even = fold(load<std::uint64_t>(at) ^ m_key[2], load<std::uint64_t>(at + 8) ^ even);
        odd = fold(load<std::uint64_t>(at + 16) ^ m_key[3], load<std::uint64_t>(at + 24) ^ odd);
    }
    if (left > 16) {
        even = fold(load<std::uint64_t>(at) ^ m_key[2], load<std::uint64_t>(at + 8) ^ even);
        at += 16;
        left -= 16;
    }
    // The last 1 to 16 bytes as two words that may overlap; the length tells such texts apart.
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (left >= 8) {
        first = load<std::uint64_t>(at);
        last = load<std::uint64_t>(at + left - 8);
    } else if (left >= 4) {
        first = load<std::uint32_t>(at);
        last = load<std::uint32_t>(at + left - 4);
    } else if (left > 0) {
        first = load<std::uint8_t>(at) | (load<std::uint8_t>(at + left / 2) << 8);
        last = load<std::uint8_t>(at + left - 1);
    }
    odd = fold(first ^ m_key[3], last ^ odd);
    return fold(even ^ m_key[1], odd ^ text.size());
}

} // namespace tidemark
