// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/matched_moments.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

namespace tidemark::compare {
namespace {

/// The longest run of moments that rises in B, too. `moments` rise in A. O(n log n).
std::vector<MatchedMoment> risingOf(std::span<const MatchedMoment> moments)
{
    constexpr std::size_t kNone = SIZE_MAX;
    std::vector<std::size_t> ends; // Of the best chain of each length, by index into `moments`.
    std::vector<std::size_t> before(moments.size(), kNone);
    for (std::size_t i = 0; i < moments.size(); ++i) {
        const auto place = std::ranges::lower_bound(
            ends, moments[i].b, {}, [&](std::size_t end) { return moments[end].b; });
        if (place != ends.begin()) {
            before[i] = *std::prev(place);
        }
        if (place == ends.end()) {
            ends.push_back(i);
        } else {
            *place = i;
        }
    }
    std::vector<MatchedMoment> chain;
    for (std::size_t at = ends.empty() ? kNone : ends.back(); at != kNone; at = before[at]) {
        chain.push_back(moments[at]);
    }
    std::ranges::reverse(chain);
    return chain;
}

/// Where matched allocations are made, in the order of A. Of those that A makes in one state (no
/// event lies between) the last one counts.
std::vector<MatchedMoment> madeBoth(const Side& a, const Side& b, const Alignment& alignment)
{
    std::vector<MatchedMoment> made;
    const replay::Allocations& of_a = a.allocations();
    const replay::Allocations& of_b = b.allocations();
    for (std::size_t i = 0; i < of_a.count(); ++i) {
        const AllocationId partner = alignment.inB(AllocationId(i));
        if (of_a.alloc_event[i].isNone() || partner.isNone()
            || of_b.alloc_event[partner.index()].isNone()) {
            continue;
        }
        const MatchedMoment moment{of_a.begin[i], of_b.begin[partner.index()]};
        if (!made.empty() && made.back().a == moment.a) {
            made.back() = moment;
        } else {
            made.push_back(moment);
        }
    }
    std::ranges::stable_sort(made, {}, &MatchedMoment::a);
    return made;
}

} // namespace

std::vector<MatchedMoment> withMomentsByHand(std::vector<MatchedMoment> moments,
                                             std::span<const MatchedMoment> by_hand)
{
    for (const MatchedMoment& pair : by_hand) {
        std::erase_if(moments, [&](const MatchedMoment& moment) {
            return moment.a == pair.a || moment.b == pair.b
                || (moment.a < pair.a) != (moment.b < pair.b);
        });
        const auto place = std::ranges::lower_bound(moments, pair.a, {}, &MatchedMoment::a);
        moments.insert(place, pair);
    }
    return moments;
}

std::vector<MatchedMoment> matchedMoments(const Side& a, const Side& b, const Alignment& alignment)
{
    const std::vector<MatchedMoment> bounds = risingOf(alignment.boundaries());
    const std::vector<MatchedMoment> made = madeBoth(a, b, alignment);
    std::vector<MatchedMoment> chain;
    auto next = made.begin();
    // Between two boundaries only what lies between them in both runs.
    const auto addUntil = [&](StateId end_a, StateId end_b) {
        const StateId from_a = chain.empty() ? StateId::start() : chain.back().a;
        const StateId from_b = chain.empty() ? StateId::start() : chain.back().b;
        std::vector<MatchedMoment> inside;
        for (; next != made.end() && next->a < end_a; ++next) {
            if (next->a > from_a && next->b > from_b && next->b < end_b) {
                inside.push_back(*next);
            }
        }
        std::ranges::copy(risingOf(inside), std::back_inserter(chain));
    };
    for (const MatchedMoment& bound : bounds) {
        addUntil(bound.a, bound.b);
        chain.push_back(bound);
    }
    addUntil({UINT32_MAX}, {UINT32_MAX});
    return chain;
}

} // namespace tidemark::compare
