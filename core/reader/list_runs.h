// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/native_slot.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tidemark::reader {

/// Remembers which list a run of memo look-ups makes, by the bytes of the run. torch writes the
/// frames of each event as such a run, mostly the same few thousand runs over and over; since a
/// number of the memo never gets a second value, the same bytes are the same list.
class ListRuns {
public:
    ListRuns();

    /// Bytes of the run that begins at `begin`: nothing but BINGET and LONG_BINGET, up to the
    /// APPENDS that ends them. No run, or one too long: npos. Requires kLongest + 8 readable bytes.
    static std::size_t lengthOf(const char* begin);
    static constexpr std::size_t npos = static_cast<std::size_t>(-1);
    static constexpr std::size_t kLongest = 16384;

    /// The list of the run that begins at `begin`, and its length, where it is the one that
    /// followed the last run before; steps of a training do the same over and over. Else absent.
    /// O(bytes).
    [[nodiscard]] Slot findNext(const char* begin, std::size_t& length);
    /// Absent when the run was not seen yet. O(bytes).
    [[nodiscard]] Slot find(std::string_view run);
    /// For the run that find() was last asked for. Beyond a bound nothing more is remembered.
    void remember(std::string_view run, Slot list);
    [[nodiscard]] std::uint64_t memoryBytes() const
    {
        return m_bytes.capacity() + m_runs.capacity() * sizeof(Run)
            + m_table.size() * sizeof(Entry);
    }

private:
    static constexpr std::uint32_t kNone = 0xffffffff;
    struct Run {
        std::uint64_t offset = 0; ///< Into m_bytes.
        Slot list;
        std::uint32_t length = 0;
        std::uint32_t next = kNone; ///< The run that came after it the last time.
    };
    struct Entry {
        std::uint64_t hash = 0;
        std::uint32_t run = kNone;
    };
    [[nodiscard]] bool isAt(const Run& run, std::string_view bytes) const
    {
        return std::string_view(m_bytes.data() + run.offset, run.length) == bytes;
    }
    void follow(std::uint32_t run);
    [[nodiscard]] std::uint64_t hashOf(std::string_view run) const;
    void grow();

    std::vector<char> m_bytes;
    std::vector<Run> m_runs;
    std::vector<Entry> m_table; ///< Open addressing, a power of two.
    std::uint32_t m_last = kNone; ///< The run before.
    std::size_t m_last_place = 0;
    std::uint64_t m_last_hash = 0;
    std::uint64_t m_seed;
};

} // namespace tidemark::reader
