// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/keyed_hash.h"
#include "core/base/units.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace tidemark::replay {

/// What the walk over a trace knows about each address it has met. One look-up per event, so the
/// facts lie in the table itself: open addressing, 24 to 48 bytes per address.
class AddressTable {
public:
    static constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

    struct Place {
        Address address = 0;
        std::uint32_t live = kNobody; ///< Number of the live allocation there.
        EventId next_alloc; ///< The earliest `alloc` met so far.

        /// Known places have met something.
        [[nodiscard]] bool isNew() const
        {
            return live == kNobody && next_alloc.isNone();
        }
    };

    /// The place of an address, new or not. Valid until the next call. O(1).
    Place& at(Address address)
    {
        if ((m_used + 1) * 3 > m_places.size() * 2) {
            grow();
        }
        Place& place = placeOf(address);
        if (place.isNew()) {
            place.address = address;
            ++m_used;
        }
        return place;
    }

    /// Every place, in no order that means anything.
    [[nodiscard]] const std::vector<Place>& places() const
    {
        return m_places;
    }

private:
    static constexpr std::size_t kFirstSize = 64;

    Place& placeOf(Address address)
    {
        const int bits = std::countr_zero(m_places.size());
        std::size_t i = m_hash.number(address) >> (64 - bits);
        while (!m_places[i].isNew() && m_places[i].address != address) {
            i = (i + 1) & (m_places.size() - 1);
        }
        return m_places[i];
    }

    void grow()
    {
        const std::vector<Place> old = std::exchange(m_places, {});
        m_places.resize(old.empty() ? kFirstSize : old.size() * 2);
        m_used = 0;
        for (const Place& place : old) {
            if (!place.isNew()) {
                placeOf(place.address) = place;
                ++m_used;
            }
        }
    }

    KeyedHash m_hash;
    std::vector<Place> m_places; ///< A power of two.
    std::size_t m_used = 0; ///< At least the number of known places.
};

} // namespace tidemark::replay
