// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/norm_intervals.h"

#include "core/program/constants.h"

#include <algorithm>
#include <numeric>

namespace tidemark::program {

std::vector<PassIntervals> findNormIntervals(const Observed& o, std::int64_t statistics_bytes,
                                             const std::set<std::int64_t>& sizes,
                                             std::int64_t layers)
{
    struct Made {
        std::size_t allocation;
        std::int64_t statistics_before;
    };
    std::vector<Made> made;
    bool any_saved = false;
    std::int64_t statistics = 0;
    for (std::size_t a = 0; a < o.count(); ++a) {
        if (isFixed(o.kind[a])) {
            continue;
        }
        if (sizes.contains(o.size(a))) {
            made.push_back({a, statistics});
            any_saved = any_saved || o.kind[a] == Usage::saved;
        }
        statistics += o.size(a) == statistics_bytes ? 1 : 0;
    }
    if (statistics < 2 * layers) {
        return {};
    }
    std::vector<PassIntervals> passes;
    std::int64_t current = -1;
    StateId all_gone;
    for (const Made& m : made) {
        if (any_saved && o.kind[m.allocation] != Usage::saved) {
            continue;
        }
        if (m.statistics_before != current || passes.empty()) {
            current = m.statistics_before;
            if (passes.empty() || (any_saved && o.begin[m.allocation] > all_gone)) {
                passes.emplace_back();
            }
            passes.back().emplace_back();
        }
        passes.back().back().allocations.push_back(m.allocation);
        all_gone = std::max(all_gone, o.end[m.allocation]);
    }
    return passes;
}

Halves halvesOf(const Observed& o, std::int64_t bytes, std::int64_t statistics_bytes,
                const std::set<std::int64_t>& hidden_rows, std::int64_t layers)
{
    const auto passes = findNormIntervals(o, statistics_bytes, {bytes}, layers);
    if (passes.empty()) {
        return Halves::unknown;
    }
    const bool is_saved = o.kind[passes[0][0].allocations[0]] == Usage::saved;
    if (!is_saved) {
        const auto all = findNormIntervals(o, statistics_bytes, hidden_rows, layers);
        const auto count = [](const std::vector<PassIntervals>& of) {
            return std::accumulate(
                of.begin(), of.end(), std::size_t{0},
                [](std::size_t sum, const PassIntervals& p) { return sum + p.size(); });
        };
        const double share = static_cast<double>(count(passes))
            / static_cast<double>(std::max<std::size_t>(1, count(all)));
        return share >= kBothHalves ? Halves::both
            : share <= kOneHalf     ? Halves::one
                                    : Halves::unknown;
    }
    const auto all = [&](auto holds) { return std::ranges::all_of(passes, holds); };
    const auto whole = static_cast<std::size_t>(2 * layers);
    if (all([whole](const PassIntervals& p) { return p.size() % whole == 0; })) {
        return Halves::both;
    }
    return all([whole](const PassIntervals& p) { return p.size() == whole / 2; }) ? Halves::one
                                                                                  : Halves::unknown;
}

} // namespace tidemark::program
