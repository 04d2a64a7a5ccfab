// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/loop_counts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace tidemark::compare {
namespace {

/// Of a place in all passes: fewer are no loop.
constexpr std::int64_t kFewestTurns = 16;
/// Of what a place makes: so much has a size that it has in the other run, too.
constexpr double kSameSizes = 0.9;
/// The first or the last turn of a loop may make less.
constexpr double kSlack = 0.1;
/// Of what is made at places with other counts: so much follows one ratio.
constexpr double kMostLoops = 0.7;

/// How often a place makes each size.
using Sizes = std::map<std::int64_t, std::int64_t>;

template <class PlaceOf, class IsShared>
std::vector<Sizes> madeSizes(const Side& side, std::size_t places, const PlaceOf& placeOf,
                             const IsShared& isShared)
{
    std::vector<Sizes> made(places);
    for (std::size_t i = 0; i < side.allocations().count(); ++i) {
        const AllocationId id(i);
        const PlaceId place = placeOf(side.allocations().stack[i]);
        if (!place.isNone() && isShared(id)) {
            ++made[place.index()][side.bytes(id)];
        }
    }
    return made;
}

std::int64_t countOf(const Sizes& sizes)
{
    std::int64_t count = 0;
    for (const auto& [bytes, times] : sizes) {
        count += times;
    }
    return count;
}

/// Whether nearly all of one place's sizes are made in the other run, too.
bool areKnown(const Sizes& sizes, const Sizes& there)
{
    std::int64_t known = 0;
    for (const auto& [bytes, times] : sizes) {
        known += there.contains(bytes) ? times : 0;
    }
    return static_cast<double>(known) >= kSameSizes * static_cast<double>(countOf(sizes));
}

struct Loop {
    PlaceId place;
    double ratio = 1;
    double weight = 0;
};

std::vector<Loop> loopsOf(const std::vector<Sizes>& of_a, const std::vector<Sizes>& of_b)
{
    std::vector<Loop> loops;
    for (std::size_t i = 0; i < of_a.size(); ++i) {
        const std::int64_t a = countOf(of_a[i]);
        const std::int64_t b = countOf(of_b[i]);
        if (a != b && std::min(a, b) >= kFewestTurns && areKnown(of_a[i], of_b[i])
            && areKnown(of_b[i], of_a[i])) {
            loops.push_back({PlaceId(i), static_cast<double>(b) / static_cast<double>(a),
                             static_cast<double>(a + b)});
        }
    }
    return loops;
}

} // namespace

LoopCounts findLoopCounts(const Both& both)
{
    const Alignment& alignment = both.alignment;
    const std::vector<Loop> loops =
        loopsOf(madeSizes(
                    both.a, both.places.count(), [&](StackId s) { return both.places.inA(s); },
                    [&](AllocationId id) { return alignment.isInSharedPassOfA(id); }),
                madeSizes(
                    both.b, both.places.count(), [&](StackId s) { return both.places.inB(s); },
                    [&](AllocationId id) { return alignment.isInSharedPassOfB(id); }));
    std::map<double, double> weight_of;
    double all = 0;
    for (const Loop& loop : loops) {
        weight_of[loop.ratio] += loop.weight;
        all += loop.weight;
    }
    const auto most =
        std::ranges::max_element(weight_of, {}, [](const auto& entry) { return entry.second; });
    if (most == weight_of.end() || std::abs(std::log(most->first)) <= kSlack) {
        return {};
    }
    LoopCounts found{most->first, {}};
    double with = 0;
    for (const Loop& loop : loops) {
        if (std::abs(std::log(loop.ratio / found.ratio)) <= kSlack) {
            found.places.insert(loop.place);
            with += loop.weight;
        }
    }
    return with >= kMostLoops * all ? found : LoopCounts{};
}

} // namespace tidemark::compare
