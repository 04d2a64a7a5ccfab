// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/base/units.h"

#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace tidemark::replay {

/// [address, address + size), cut off where it would run over the top of the address space; empty
/// for sizes that are not positive.
inline Interval<Address> rangeOf(Address address, Bytes size)
{
    const Address room = std::numeric_limits<Address>::max() - address;
    const Address bytes = size.value > 0 ? static_cast<Address>(size.value) : 0;
    return {address, address + (bytes < room ? bytes : room)};
}

/// Disjoint ranges of addresses, each with a value. What is put or taken may cut across ranges that
/// are there: they are split, and both parts keep the value. Every call O(log ranges + ranges hit).
template <class Value>
class RangeMap {
public:
    struct Entry {
        Interval<Address> range;
        Value value;
    };

    /// Removes and returns, in address order, what lies in a range.
    std::vector<Entry> take(Interval<Address> range)
    {
        std::vector<Entry> taken;
        if (range.isEmpty()) {
            return taken;
        }
        splitAt(range.begin);
        splitAt(range.end);
        const auto first = m_entries.lower_bound(range.begin);
        auto it = first;
        for (; it != m_entries.end() && it->first < range.end; ++it) {
            taken.push_back({{it->first, it->second.end}, std::move(it->second.value)});
        }
        m_entries.erase(first, it);
        return taken;
    }

    /// Gives a range a value; what was there is gone.
    void put(Interval<Address> range, Value value)
    {
        take(range);
        if (!range.isEmpty()) {
            m_entries.insert_or_assign(range.begin, Stored{range.end, std::move(value)});
        }
    }

    /// Calls `visit(value)` for the entries that follow each other without a gap below `range`,
    /// downwards from it, and then for those above, upwards; each way until `visit` returns false.
    template <class Visit>
    void visitTouching(Interval<Address> range, const Visit& visit)
    {
        Address edge = range.begin;
        auto below = m_entries.lower_bound(range.begin);
        while (below != m_entries.begin() && std::prev(below)->second.end == edge) {
            --below;
            edge = below->first;
            if (!visit(below->second.value)) {
                break;
            }
        }
        edge = range.end;
        for (auto above = m_entries.find(edge); above != m_entries.end() && above->first == edge;
             ++above) {
            edge = above->second.end;
            if (!visit(above->second.value)) {
                break;
            }
        }
    }

private:
    struct Stored {
        Address end = 0;
        Value value;
    };

    void splitAt(Address at)
    {
        auto it = m_entries.lower_bound(at);
        if (it == m_entries.begin()) {
            return;
        }
        --it;
        if (at < it->second.end) {
            m_entries.insert_or_assign(at, Stored{it->second.end, it->second.value});
            it->second.end = at;
        }
    }

    std::map<Address, Stored> m_entries;
};

} // namespace tidemark::replay
