// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/sides.h"

#include "core/program/norm_intervals.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace tidemark::program {
namespace {

Side sureSide(const NormInterval& interval, const Observed& o, const SizeReadings& readings)
{
    Side side = Side::unknown;
    for (const std::size_t a : interval.allocations) {
        if (readings.surely_attention.contains(o.size(a))) {
            return Side::attention;
        }
        if (readings.surely_feed_forward.contains(o.size(a))) {
            side = Side::feed_forward;
        }
    }
    return side;
}

std::vector<Side> sidesOfPass(const PassIntervals& pass, const Observed& o,
                              const SizeReadings& readings, Halves halves)
{
    std::vector<Side> sides;
    for (const NormInterval& interval : pass) {
        sides.push_back(sureSide(interval, o, readings));
    }
    const auto has = [&sides](Side side) { return std::ranges::find(sides, side) != sides.end(); };
    const auto fill = [&sides](Side side) { std::ranges::replace(sides, Side::unknown, side); };
    const bool has_attention = has(Side::attention);
    const bool has_feed_forward = has(Side::feed_forward);
    if (has_attention != has_feed_forward) {
        fill(has_attention ? Side::feed_forward : Side::attention);
    } else if (!has_attention && halves == Halves::both) {
        for (std::size_t i = 0; i < sides.size(); ++i) {
            sides[i] = i % 2 == 0 ? Side::attention : Side::feed_forward;
        }
    } else if (!has_attention && halves == Halves::one) {
        fill(Side::feed_forward);
    }
    return sides;
}

/// Moments of one size at which its side is known, ascending.
using Known = std::vector<std::pair<std::uint32_t, Side>>;

Side nearest(const Known& known, std::uint32_t moment)
{
    const auto after = std::ranges::lower_bound(known, moment, {}, &Known::value_type::first);
    if (after == known.end()) {
        return known.back().second;
    }
    if (after == known.begin() || after->first - moment < moment - std::prev(after)->first) {
        return after->second;
    }
    return std::prev(after)->second;
}

/// The size that holds the most bytes for the longest.
std::int64_t strongest(const std::set<std::int64_t>& sizes, const SizeTable& table)
{
    return *std::ranges::max_element(sizes, {}, [&table](std::int64_t bytes) {
        const SizeGroup* const group = table.find(bytes);
        return group == nullptr ? 0 : group->byte_states;
    });
}

} // namespace

std::vector<Side> findSides(const Observed& o, const Solution& s, const SizeReadings& readings)
{
    if (readings.unclear.empty() || s.names.layers < 2) {
        return {};
    }
    std::set<std::int64_t> sizes = readings.unclear;
    sizes.insert(readings.surely_attention.begin(), readings.surely_attention.end());
    sizes.insert(readings.surely_feed_forward.begin(), readings.surely_feed_forward.end());
    const auto passes = findNormIntervals(o, s.best().tokens * 4, sizes, s.names.layers);
    std::vector<Side> side(passes.empty() ? 0 : o.count(), Side::unknown);
    std::unordered_map<std::int64_t, Known> known;
    // Where nothing is sure, one of the unclear sizes tells in which halves it is made.
    const std::int64_t row = s.best().tokens * s.view.hidden;
    const Halves halves = halvesOf(o, strongest(readings.unclear, s.sizes), s.best().tokens * 4,
                                   {row * 4, row * 2}, s.names.layers);
    for (const PassIntervals& pass : passes) {
        const auto of = sidesOfPass(pass, o, readings, halves);
        for (std::size_t i = 0; i < pass.size(); ++i) {
            for (const std::size_t a : pass[i].allocations) {
                if (of[i] != Side::unknown && readings.unclear.contains(o.size(a))) {
                    side[a] = of[i];
                    known[o.size(a)].emplace_back(o.begin[a].value, of[i]);
                    known[o.size(a)].emplace_back(o.end[a].value, of[i]);
                }
            }
        }
    }
    for (auto& [bytes, moments] : known) {
        std::ranges::stable_sort(moments, {}, &Known::value_type::first);
    }
    for (std::size_t a = 0; a < side.size(); ++a) {
        if (side[a] == Side::unknown && !isFixed(o.kind[a])) {
            if (const auto moments = known.find(o.size(a)); moments != known.end()) {
                side[a] = nearest(moments->second, o.begin[a].value);
            }
        }
    }
    return side;
}

} // namespace tidemark::program
