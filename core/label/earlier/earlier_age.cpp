// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/earlier/earlier_age.h"

#include <algorithm>
#include <utility>

namespace tidemark::label {

std::vector<AllocationId> oldestFirst(const replay::Allocations& all,
                                      const std::vector<trace::Segment>& segments)
{
    constexpr Address kLinux = Address{1} << 46;
    std::vector<const trace::Segment*> large;
    for (const trace::Segment& segment : segments) {
        if (!segment.is_small_pool && !segment.is_expandable && segment.address >= kLinux) {
            large.push_back(&segment);
        }
    }
    std::ranges::sort(large, {}, &trace::Segment::address);
    // Of a segment that lies lower the later it came: how far it is from the top.
    const auto ageOf = [&](AllocationId a) {
        const Address address = all.address[a.index()];
        const auto next = std::ranges::upper_bound(large, address, {}, &trace::Segment::address);
        const bool is_in = next != large.begin()
            && address - (*std::prev(next))->address
                < static_cast<Address>((*std::prev(next))->total_size.value);
        return std::pair(is_in ? ~(*std::prev(next))->address : Address{0}, address);
    };
    std::vector<AllocationId> found;
    for (std::size_t i = 0; i < all.count(); ++i) {
        if (all.alloc_event[i].isNone()) {
            found.emplace_back(i);
        }
    }
    std::ranges::sort(found, {}, ageOf);
    return found;
}

} // namespace tidemark::label
