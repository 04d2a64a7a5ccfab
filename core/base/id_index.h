// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace tidemark {

/// Finds the number of an entry from the entry's hash. Knows numbers and hashes only: the owner
/// keeps the entries, numbers them 0, 1, 2… as they are added, and says whether one of them is the
/// one looked for. Open addressing, 8 bytes per slot, 12 to 24 per entry.
class IdIndex {
public:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    /// `isSame(number)` compares an entry with the one looked for; it is called for few others.
    template <class IsSame>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, const IsSame& isSame) const
    {
        return m_slots.empty() ? kNone : numberIn(m_slots[slotFor(hash, isSame)]);
    }

    /// The same, where an entry that is not there is added as number `count`, the number of entries
    /// so far; `second` says whether that happened. Requires fewer than 2^32 − 1 entries.
    template <class IsSame>
    std::pair<std::uint32_t, bool> findOrAdd(std::uint64_t hash, std::size_t count,
                                             const IsSame& isSame)
    {
        if ((count + 1) * 3 > m_slots.size() * 2) {
            grow();
        }
        std::uint64_t& slot = m_slots[slotFor(hash, isSame)];
        const bool fresh = slot == kEmpty;
        if (fresh) {
            slot = (tagOf(hash) << 32) | count;
        }
        return {numberIn(slot), fresh};
    }

private:
    static constexpr std::uint64_t kEmpty = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::size_t kFirstSlots = 16;

    /// The part of the hash that is kept: its upper bits say where an entry belongs, all of them
    /// whether it is worth comparing.
    static constexpr std::uint64_t tagOf(std::uint64_t hash)
    {
        return hash >> 32;
    }
    static constexpr std::uint32_t numberIn(std::uint64_t slot)
    {
        return static_cast<std::uint32_t>(slot);
    }
    [[nodiscard]] std::size_t homeOf(std::uint64_t tag) const
    {
        return static_cast<std::size_t>(tag >> (32 - std::countr_zero(m_slots.size())));
    }
    [[nodiscard]] std::size_t next(std::size_t slot) const
    {
        return (slot + 1) & (m_slots.size() - 1);
    }

    /// The slot with the entry, or the empty one where it belongs. Requires a free slot.
    template <class IsSame>
    [[nodiscard]] std::size_t slotFor(std::uint64_t hash, const IsSame& isSame) const
    {
        const std::uint64_t tag = tagOf(hash);
        std::size_t slot = homeOf(tag);
        while (m_slots[slot] != kEmpty
               && (m_slots[slot] >> 32 != tag || !isSame(numberIn(m_slots[slot])))) {
            slot = next(slot);
        }
        return slot;
    }

    void grow()
    {
        const std::vector<std::uint64_t> old = std::exchange(m_slots, {});
        m_slots.assign(old.empty() ? kFirstSlots : old.size() * 2, kEmpty);
        for (const std::uint64_t entry : old) {
            if (entry != kEmpty) {
                std::size_t slot = homeOf(entry >> 32);
                while (m_slots[slot] != kEmpty) {
                    slot = next(slot);
                }
                m_slots[slot] = entry;
            }
        }
    }

    std::vector<std::uint64_t> m_slots; ///< The tag above, the number below; a power of two.
};

} // namespace tidemark
