// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/living_changes.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/compare/made_phases.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>

namespace tidemark::compare {
namespace {

using label::Bucket;

/// Of the bytes that differ: so much of them follows one ratio.
constexpr double kNearlyAllSaved = 0.9;
/// Of a run's parameters: fewer bytes at places of its own are no other set of weights.
constexpr double kFewestWeights = 0.1;

using Ratio = std::pair<std::int64_t, std::int64_t>; ///< Lowest terms.

Ratio ratioOf(std::int64_t a, std::int64_t b)
{
    const std::int64_t common = std::gcd(a, b);
    return common == 0 ? Ratio{0, 0} : Ratio{a / common, b / common};
}

SavedSpot savedSpotInA(const Both& both, AllocationId id)
{
    return {both.places.inA(both.a.allocations().stack[id.index()]), both.a.bytes(id)};
}

SavedSpot savedSpotInB(const Both& both, AllocationId id)
{
    return {both.places.inB(both.b.allocations().stack[id.index()]), both.b.bytes(id)};
}

struct Counts {
    std::int64_t a = 0;
    std::int64_t b = 0;
};

bool waitsForBackward(Bucket bucket)
{
    return bucket == Bucket::activation || bucket == Bucket::input;
}

/// What lives at once: saved tensors and inputs of one size and place, in both runs.
std::map<SavedSpot, Counts> livingCounts(const Both& both, const std::vector<Living>& living)
{
    std::map<SavedSpot, Counts> counts;
    for (const Living& item : living) {
        if (!item.a.isNone() && waitsForBackward(both.a.bucket(item.a))) {
            ++counts[savedSpotInA(both, item.a)].a;
        }
        if (!item.b.isNone() && waitsForBackward(both.b.bucket(item.b))) {
            ++counts[savedSpotInB(both, item.b)].b;
        }
    }
    return counts;
}

/// Of one run: how many of a spot are made in all, and how many live at once at most.
struct MadeAtSpot {
    std::int64_t all = 0;
    std::int64_t at_once = 0;
};

template <class SpotOf>
std::map<SavedSpot, MadeAtSpot> madeOf(const Side& side, const std::set<SavedSpot>& spots,
                                       const SpotOf& spotOf)
{
    const replay::Allocations& all = side.allocations();
    std::map<SavedSpot, std::vector<std::pair<StateId, int>>> changes;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const AllocationId id(i);
        if (!waitsForBackward(side.bucket(id))) {
            continue;
        }
        const SavedSpot spot = spotOf(id);
        if (spots.contains(spot)) {
            changes[spot].emplace_back(all.begin[i], 1);
            changes[spot].emplace_back(all.end[i], -1);
        }
    }
    std::map<SavedSpot, MadeAtSpot> made;
    for (auto& [spot, steps] : changes) {
        std::ranges::sort(steps); // What ends comes before what begins.
        MadeAtSpot& of = made[spot];
        of.all = static_cast<std::int64_t>(steps.size() / 2);
        std::int64_t now = 0;
        for (const auto& [state, step] : steps) {
            now += step;
            of.at_once = std::max(of.at_once, now);
        }
    }
    return made;
}

/// The spots whose counts have the ratio that nearly all bytes that differ have.
struct InFlight {
    Ratio ratio;
    std::set<SavedSpot> spots;
    Counts of_largest; ///< Of the spot with the most bytes.
};

std::optional<InFlight> mostCommonRatio(const std::map<SavedSpot, Counts>& counts)
{
    std::map<Ratio, double> bytes_of;
    double all = 0;
    for (const auto& [spot, count] : counts) {
        if (count.a != count.b) {
            const double bytes =
                static_cast<double>(spot.bytes) * static_cast<double>(std::abs(count.a - count.b));
            all += bytes;
            bytes_of[ratioOf(count.a, count.b)] += bytes;
        }
    }
    const auto most =
        std::ranges::max_element(bytes_of, {}, [](const auto& e) { return e.second; });
    if (most == bytes_of.end() || most->second < kNearlyAllSaved * all || most->first.first == 0
        || most->first.second == 0) {
        return std::nullopt;
    }
    InFlight found{most->first, {}, {}};
    std::int64_t largest = 0;
    for (const auto& [spot, count] : counts) {
        if (count.a != count.b && ratioOf(count.a, count.b) == found.ratio) {
            found.spots.insert(spot);
            if (spot.bytes * (count.a + count.b) > largest) {
                largest = spot.bytes * (count.a + count.b);
                found.of_largest = count;
            }
        }
    }
    return found;
}

/// Whether both make as many of nearly all of them a step, and the most that live at once have the
/// ratio: else one of the moments lies where half of them are gone, or one run makes more.
bool isOfWholeRuns(const Both& both, const InFlight& found)
{
    const auto made_a =
        madeOf(both.a, found.spots, [&](AllocationId id) { return savedSpotInA(both, id); });
    const auto made_b =
        madeOf(both.b, found.spots, [&](AllocationId id) { return savedSpotInB(both, id); });
    const auto steps_a = static_cast<std::int64_t>(both.a.labels().steps.size());
    const auto steps_b = static_cast<std::int64_t>(both.b.labels().steps.size());
    double all = 0;
    double right = 0;
    for (const SavedSpot& spot : found.spots) {
        const MadeAtSpot& a = made_a.at(spot);
        const MadeAtSpot& b = made_b.at(spot);
        const auto bytes = static_cast<double>(spot.bytes * (a.at_once + b.at_once));
        all += bytes;
        const bool are_as_many = a.all * steps_b == b.all * steps_a;
        right += are_as_many && ratioOf(a.at_once, b.at_once) == found.ratio ? bytes : 0;
    }
    return steps_a > 0 && steps_b > 0 && right >= kNearlyAllSaved * all;
}

void addInFlight(const Both& both, const std::vector<Living>& living, FoundChanges& found)
{
    std::optional<InFlight> in_flight = mostCommonRatio(livingCounts(both, living));
    if (found.is_other_model || !in_flight || !isOfWholeRuns(both, *in_flight)) {
        return;
    }
    const auto words = [](std::int64_t count) { return say("{} at once", count); };
    const Counts& most = in_flight->of_largest;
    found.changes.push_back(
        {ChangeOf::in_flight,
         static_cast<double>(in_flight->ratio.second) / static_cast<double>(in_flight->ratio.first),
         words(most.a),
         words(most.b),
         say("Both save as many tensors per step, but {} keeps up to {} of one size at once and {} "
             "{}: the number of passes in flight differs, as in a pipeline.",
             both.a.letter, most.a, both.b.letter, most.b),
         std::nullopt,
         {}});
    found.in_flight = std::move(in_flight->spots);
    // Passes that interleave cannot be counted by what follows what.
    std::erase_if(found.changes,
                  [](const RunChange& change) { return change.of == ChangeOf::accumulation; });
}

std::int64_t weightBytes(const Side& side, AllocationId id)
{
    return id.isNone() || side.bucket(id) != Bucket::parameter ? 0 : side.bytes(id);
}

void addWeights(const Both& both, const std::vector<Living>& living, FoundChanges& found)
{
    if (hasChange(found.changes, ChangeOf::model)) {
        return;
    }
    std::int64_t all_a = 0;
    std::int64_t all_b = 0;
    std::int64_t only_a = 0;
    std::int64_t only_b = 0;
    for (const Living& item : living) {
        const std::int64_t a = weightBytes(both.a, item.a);
        const std::int64_t b = weightBytes(both.b, item.b);
        all_a += a;
        all_b += b;
        only_a += item.became == Became::only_a ? a : 0;
        only_b += item.became == Became::only_b ? b : 0;
    }
    const auto isMuch = [](std::int64_t only, std::int64_t all) {
        return static_cast<double>(only) > kFewestWeights * static_cast<double>(all);
    };
    if (!isMuch(only_a, all_a) && !isMuch(only_b, all_b)) {
        return;
    }
    found.changes.push_back(
        {ChangeOf::model,
         std::nullopt,
         formatBytes({all_a}),
         formatBytes({all_b}),
         say("{} has additional weights.", only_a > only_b ? both.a.letter : both.b.letter),
         std::nullopt,
         {},
         true});
}

/// One of the moments lies before its run's first optimizer step, the other behind it.
void addFirstStep(const Both& both, const std::vector<Living>& living, FoundChanges& found)
{
    bool has_a = false;
    bool has_b = false;
    for (const Living& item : living) {
        has_a |= !item.a.isNone() && both.a.bucket(item.a) == Bucket::optimizer_state;
        has_b |= !item.b.isNone() && both.b.bucket(item.b) == Bucket::optimizer_state;
    }
    if (has_a == has_b || !hasPhase(both.a, label::Phase::optimizer)
        || !hasPhase(both.b, label::Phase::optimizer)) {
        return;
    }
    const auto words = [](bool has) { return has ? say("after it") : say("before it"); };
    found.changes.push_back(
        {ChangeOf::first_step,
         std::nullopt,
         words(has_a),
         words(has_b),
         say("{} is before its first optimizer step, which allocates the state that {} has.",
             has_a ? both.b.letter : both.a.letter, has_a ? both.a.letter : both.b.letter),
         std::nullopt,
         {}});
}

} // namespace

void addLivingChanges(const Both& both, const std::vector<Living>& living, FoundChanges& found)
{
    addInFlight(both, living, found);
    addWeights(both, living, found);
    addFirstStep(both, living, found);
    std::ranges::sort(found.changes, {}, &RunChange::of);
}

} // namespace tidemark::compare
