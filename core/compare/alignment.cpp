// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/alignment.h"

#include "core/compare/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

namespace tidemark::compare {
namespace {

constexpr std::int32_t kBeforeTrace = -1;
constexpr std::int32_t kNoUnit = -2;

/// What an allocation is apart from its size: it holds for both runs whatever their dimensions.
using Nature = std::tuple<program::TensorKind, std::array<program::Factor, 4>, std::int64_t>;
using NatureIds = std::map<Nature, std::uint32_t>;

/// Per size and use of a program a number that both runs share.
std::vector<std::uint32_t> naturesOf(const program::Program& program, NatureIds& ids)
{
    std::vector<std::uint32_t> natures;
    for (const program::SizeUse& use : program.sizes) {
        Nature nature{use.what, {}, 0};
        if (!use.expressions.empty()) {
            const program::Expression& first = use.expressions.front();
            nature = {use.what, first.factors, first.number};
        }
        natures.push_back(
            ids.try_emplace(nature, static_cast<std::uint32_t>(ids.size() + 1)).first->second);
    }
    return natures;
}

/// Where an allocation was made, for sorting.
struct Spot {
    std::int32_t unit = 0;
    PlaceId place;
    friend constexpr auto operator<=>(const Spot&, const Spot&) = default;
};
using Spots = std::vector<std::pair<Spot, AllocationId>>;

Spots spotsOf(const std::vector<std::int32_t>& units, AlignBy by, const std::vector<PlaceId>& place)
{
    Spots spots;
    spots.reserve(units.size());
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (units[i] < 0) {
            continue;
        }
        spots.emplace_back(Spot{by == AlignBy::phase ? 0 : units[i], place[i]}, AllocationId(i));
    }
    std::ranges::sort(spots);
    return spots;
}

/// The allocations of the spot that begins at `first`, which moves behind it.
std::vector<AllocationId> takeSpot(const Spots& spots, std::size_t& first)
{
    std::vector<AllocationId> ids;
    const Spot& spot = spots[first].first;
    for (; first < spots.size() && spots[first].first == spot; ++first) {
        ids.push_back(spots[first].second);
    }
    return ids;
}

using ByNature = std::map<std::uint32_t, std::vector<AllocationId>>;

ByNature byNature(const Side& side, std::span<const AllocationId> ids,
                  const std::vector<std::uint32_t>& natures)
{
    ByNature groups;
    for (const AllocationId id : ids) {
        groups[natures[side.program.size_of[id.index()]]].push_back(id);
    }
    return groups;
}

/// Of `count` things that stand for `fewer` each, the one that the n-th of those is: the last of
/// its group where the count is a multiple, else the n-th.
std::size_t standIn(std::size_t n, std::size_t count, std::size_t fewer)
{
    const std::size_t each = count % fewer == 0 ? count / fewer : 1;
    return n * each + each - 1;
}

/// The moment of another trace that is as long after its first event. Both have times.
StateId sameTime(const trace::Events& here, const trace::Events& there, StateId state)
{
    if (state == StateId::start() || here.time.empty() || there.time.empty()) {
        return StateId::start();
    }
    const TimePoint wanted =
        there.time.front() + (here.time[state.index() - 1] - here.time.front());
    const auto behind = std::ranges::upper_bound(there.time, wanted);
    return {static_cast<std::uint32_t>(behind - there.time.begin())};
}

/// The boundaries of passes that both runs have. Where one of them has no backward its end is that
/// of its forward.
std::vector<MatchedMoment> boundariesOf(const Units& a, const Units& b,
                                        std::span<const std::int32_t> a_of_b)
{
    std::vector<MatchedMoment> found;
    for (std::size_t i = 0; i < a_of_b.size(); ++i) {
        if (a_of_b[i] < 0) {
            continue;
        }
        const label::Pass& in_a = a.passes()[static_cast<std::size_t>(a_of_b[i])];
        const label::Pass& in_b = b.passes()[i];
        found.push_back({in_a.forward.begin, in_b.forward.begin});
        if (!in_a.backward.isEmpty() && !in_b.backward.isEmpty()) {
            found.push_back({in_a.backward.begin, in_b.backward.begin});
        }
        if (in_a.backward.isEmpty() == in_b.backward.isEmpty()) {
            found.push_back({in_a.end(), in_b.end()});
        }
    }
    std::ranges::stable_sort(found, {}, &MatchedMoment::a);
    return found;
}

} // namespace

Alignment::Alignment(const Side& a, const Side& b, const Places& places,
                     const AlignOptions& options, SideMoment moment)
    : m_side_a(a)
    , m_side_b(b)
    , m_by(options.by)
    , m_a_of_b(b.allocations().count())
    , m_b_of_a(a.allocations().count())
{
    NatureIds ids;
    m_nature_a = naturesOf(a.program, ids);
    m_nature_b = naturesOf(b.program, ids);
    const Units units_a(a);
    const Units units_b(b);
    m_unit_a = units_a.ofAllocations(a);
    m_unit_b = units_b.ofAllocations(b);
    const std::vector<std::int32_t> a_of_b = matchPasses(units_a, units_b, options, moment);
    m_boundaries = boundariesOf(units_a, units_b, a_of_b);
    m_is_shared.resize(2 * units_a.passes().size() + 1, false);
    for (const std::int32_t pass : a_of_b) {
        if (pass >= 0) {
            m_is_shared[2 * static_cast<std::size_t>(pass) + 1] = true;
        }
    }
    for (std::int32_t& unit : m_unit_b) {
        if (unit > 0) {
            const std::int32_t pass = a_of_b[static_cast<std::size_t>((unit + 1) / 2 - 1)];
            unit = pass < 0 ? kNoUnit : 2 * pass + (unit % 2 == 1 ? 1 : 2);
        }
    }
    matchPlaces(a, b, places);
    matchSets(a, b);
}

void Alignment::match(AllocationId a, AllocationId b)
{
    m_a_of_b[b.index()] = a;
    m_b_of_a[a.index()] = b;
    ++m_matched;
}

void Alignment::matchPlaces(const Side& a, const Side& b, const Places& places)
{
    std::vector<PlaceId> place_a;
    for (const StackId s : a.allocations().stack) {
        place_a.push_back(places.inA(s));
    }
    std::vector<PlaceId> place_b;
    for (const StackId s : b.allocations().stack) {
        place_b.push_back(places.inB(s));
    }
    const Spots of_a = spotsOf(m_unit_a, m_by, place_a);
    const Spots of_b = spotsOf(m_unit_b, m_by, place_b);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < of_a.size() && j < of_b.size()) {
        if (of_a[i].first < of_b[j].first) {
            ++i;
        } else if (of_b[j].first < of_a[i].first) {
            ++j;
        } else {
            const std::vector<AllocationId> ids_a = takeSpot(of_a, i);
            const std::vector<AllocationId> ids_b = takeSpot(of_b, j);
            matchGroup(a, b, ids_a, ids_b);
        }
    }
}

void Alignment::matchGroup(const Side& a, const Side& b, std::span<const AllocationId> of_a,
                           std::span<const AllocationId> of_b)
{
    if (of_a.size() == of_b.size()) {
        for (std::size_t i = 0; i < of_a.size(); ++i) {
            match(of_a[i], of_b[i]);
        }
        return;
    }
    const ByNature groups_a = byNature(a, of_a, m_nature_a);
    const ByNature groups_b = byNature(b, of_b, m_nature_b);
    for (const auto& [nature, ids_a] : groups_a) {
        const auto found = groups_b.find(nature);
        if (found == groups_b.end()) {
            continue;
        }
        const std::vector<AllocationId>& ids_b = found->second;
        const std::size_t count = std::min(ids_a.size(), ids_b.size());
        for (std::size_t i = 0; i < count; ++i) {
            match(ids_a[standIn(i, ids_a.size(), count)], ids_b[standIn(i, ids_b.size(), count)]);
        }
    }
}

void Alignment::matchSets(const Side& a, const Side& b)
{
    // What was there before one of the traces has no place: its bucket and its size tell it.
    using Key = std::tuple<label::Bucket, std::int64_t>;
    std::map<Key, std::vector<AllocationId>> open;
    const auto keyOf = [](const Side& side, std::size_t i) {
        return Key{side.labels().bucket[i], side.allocations().requested[i].value};
    };
    const auto mayBeSet = [](const Side& side, std::size_t i, std::int32_t unit) {
        const label::Bucket bucket = side.labels().bucket[i];
        return unit == kBeforeTrace || bucket == label::Bucket::parameter
            || bucket == label::Bucket::optimizer_state || bucket == label::Bucket::gradient;
    };
    for (std::size_t i = m_unit_a.size(); i > 0; --i) {
        if (m_b_of_a[i - 1].isNone() && mayBeSet(a, i - 1, m_unit_a[i - 1])) {
            open[keyOf(a, i - 1)].push_back(AllocationId(i - 1));
        }
    }
    for (std::size_t j = 0; j < m_unit_b.size(); ++j) {
        if (!m_a_of_b[j].isNone() || !mayBeSet(b, j, m_unit_b[j])) {
            continue;
        }
        const auto found = open.find(keyOf(b, j));
        if (found == open.end() || found->second.empty()) {
            continue;
        }
        const AllocationId partner = found->second.back();
        if (m_unit_b[j] == kBeforeTrace || m_unit_a[partner.index()] == kBeforeTrace) {
            match(partner, AllocationId(j));
            found->second.pop_back();
        }
    }
}

StateId Alignment::other(SideMoment moment) const
{
    const Side& here = moment.is_of_b ? m_side_b : m_side_a;
    const Side& there = moment.is_of_b ? m_side_a : m_side_b;
    const StateId last = there.replay().lastState();
    if (m_by == AlignBy::event) {
        return std::min(moment.state, last);
    }
    if (m_by == AlignBy::time && here.device().events.hasTimes()
        && there.device().events.hasTimes()) {
        return sameTime(here.device().events, there.device().events, moment.state);
    }
    const auto& own = here.allocations();
    const auto& partner = moment.is_of_b ? m_a_of_b : m_b_of_a;
    const auto behind = std::ranges::upper_bound(own.begin, moment.state);
    for (auto i = static_cast<std::size_t>(behind - own.begin.begin()); i > 0; --i) {
        if (own.alloc_event[i - 1].isNone()) {
            break;
        }
        if (!partner[i - 1].isNone()) {
            return there.allocations().begin[partner[i - 1].index()];
        }
    }
    return StateId::start();
}

} // namespace tidemark::compare
