// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/native_slot.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tidemark::reader {

/// The memo of a pickle: values by number. Grows by pages, so that nothing is ever copied or
/// reserved ahead: a million events have some millions of entries.
class MemoTable {
public:
    /// Absent for a number that was not stored. O(1).
    [[nodiscard]] Slot get(std::uint64_t index) const
    {
        const std::uint64_t page = index / kPageSlots;
        return page < m_pages.size() ? (*m_pages[page])[index % kPageSlots] : Slot();
    }
    /// O(1), and O(index / page) for an index far ahead.
    void put(std::uint64_t index, Slot slot)
    {
        const std::uint64_t page = index / kPageSlots;
        while (page >= m_pages.size()) {
            m_pages.push_back(std::make_unique<Page>());
        }
        Slot& place = (*m_pages[page])[index % kPageSlots];
        m_used += place.isAbsent() ? 1U : 0U;
        place = slot;
    }
    /// Numbers in use.
    [[nodiscard]] std::uint64_t used() const
    {
        return m_used;
    }
    [[nodiscard]] std::uint64_t memoryBytes() const
    {
        return m_pages.size() * sizeof(Page);
    }

private:
    static constexpr std::size_t kPageSlots = 4096;
    using Page = std::array<Slot, kPageSlots>;
    std::vector<std::unique_ptr<Page>> m_pages;
    std::uint64_t m_used = 0;
};

} // namespace tidemark::reader
