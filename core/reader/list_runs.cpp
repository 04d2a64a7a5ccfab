// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/list_runs.h"

#include <cstring>
#include <random>

namespace tidemark::reader {
namespace {

constexpr std::size_t kMostBytes = std::size_t{32} << 20;

std::uint64_t fold(std::uint64_t a, std::uint64_t b)
{
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint64_t wordAt(const char* bytes)
{
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

} // namespace

ListRuns::ListRuns()
    : m_table(4096)
    , m_seed((std::uint64_t{std::random_device{}()} << 32U) | std::random_device{}())
{
}

std::size_t ListRuns::lengthOf(const char* begin)
{
    constexpr char kBinGet = 'h';
    constexpr char kLongBinGet = 'j';
    constexpr char kAppends = 'e';
    const char* at = begin;
    const char* const last = begin + kLongest;
    while (at < last) {
        if (*at == kLongBinGet) {
            at += 5;
        } else if (*at == kBinGet) {
            at += 2;
        } else {
            return *at == kAppends ? static_cast<std::size_t>(at - begin) : npos;
        }
    }
    return npos;
}

// Multiply and fold, sixteen bytes at a time; seeded, so that no file can choose its collisions.
std::uint64_t ListRuns::hashOf(std::string_view run) const
{
    constexpr std::uint64_t kFirst = 0xa0761d6478bd642fULL;
    constexpr std::uint64_t kSecond = 0xe7037ed1a0b428dbULL;
    std::uint64_t hash = m_seed ^ run.size();
    std::size_t at = 0;
    for (; run.size() - at >= 16; at += 16) {
        hash = fold(wordAt(run.data() + at) ^ kFirst ^ hash, wordAt(run.data() + at + 8) ^ kSecond);
    }
    char rest[16] = {};
    std::memcpy(rest, run.data() + at, run.size() - at);
    return fold(wordAt(rest) ^ kSecond ^ hash, wordAt(rest + 8) ^ kFirst);
}

Slot ListRuns::findNext(const char* begin, std::size_t& length)
{
    constexpr char kAppends = 'e';
    const std::uint32_t next = m_last == kNone ? kNone : m_runs[m_last].next;
    if (next == kNone) {
        return {};
    }
    const Run& run = m_runs[next];
    if (begin[run.length] != kAppends || !isAt(run, {begin, run.length})) {
        return {};
    }
    m_last = next;
    length = run.length;
    return run.list;
}

Slot ListRuns::find(std::string_view run)
{
    m_last_hash = hashOf(run);
    const std::size_t mask = m_table.size() - 1;
    for (std::size_t i = m_last_hash & mask;; i = (i + 1) & mask) {
        const Entry& entry = m_table[i];
        if (entry.run == kNone) {
            m_last_place = i;
            return {};
        }
        if (entry.hash == m_last_hash && isAt(m_runs[entry.run], run)) {
            follow(entry.run);
            return m_runs[entry.run].list;
        }
    }
}

void ListRuns::remember(std::string_view run, Slot list)
{
    if (m_bytes.size() + run.size() > kMostBytes) {
        return;
    }
    const auto number = static_cast<std::uint32_t>(m_runs.size());
    m_table[m_last_place] = {m_last_hash, number};
    m_runs.push_back({m_bytes.size(), list, static_cast<std::uint32_t>(run.size()), kNone});
    m_bytes.insert(m_bytes.end(), run.begin(), run.end());
    follow(number);
    if (m_runs.size() * 2 > m_table.size()) {
        grow();
    }
}

void ListRuns::follow(std::uint32_t run)
{
    if (m_last != kNone) {
        m_runs[m_last].next = run;
    }
    m_last = run;
}

void ListRuns::grow()
{
    std::vector<Entry> old(m_table.size() * 2);
    old.swap(m_table);
    const std::size_t mask = m_table.size() - 1;
    for (const Entry& entry : old) {
        if (entry.run != kNone) {
            std::size_t i = entry.hash & mask;
            while (m_table[i].run != kNone) {
                i = (i + 1) & mask;
            }
            m_table[i] = entry;
        }
    }
}

} // namespace tidemark::reader
