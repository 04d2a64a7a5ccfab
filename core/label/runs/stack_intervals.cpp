// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/runs/stack_intervals.h"

#include "core/base/keyed_hash.h"
#include "core/label/runs/inner_backwards.h"
#include "core/label/stacks/stated_kinds.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace tidemark::label {
namespace {

using trace::Action;
using PlaceSet = std::unordered_set<std::uint64_t, KeyedNumberHash>;

bool isGap(StackKind k)
{
    return k == StackKind::other || k == StackKind::data;
}

class IntervalCutter {
public:
    IntervalCutter(const trace::Snapshot& snapshot, const trace::Device& device,
                   const replay::DeviceReplay& replay, const StackKinds& kinds,
                   const StatedTimes& times)
        : m_events(device.events)
        , m_replay(replay)
        , m_kinds(kinds)
        , m_stated(snapshot, device, times)
        , m_allocs(m_out.allocs)
        , m_intervals(m_out.intervals)
    {
    }

    StackIntervals run()
    {
        collectAllocs();
        cut();
        markInner();
        findSolidNeighbours();
        splitGaps();
        decidePhases();
        return std::move(m_out);
    }

private:
    void collectAllocs();
    void cut();
    void markInner();
    void findSolidNeighbours();
    void splitGaps();
    [[nodiscard]] PlaceSet feedingPlaces() const;
    [[nodiscard]] PlaceSet placesOfWhatForwardFinds() const;
    void addPlacesAlive(std::size_t interval, std::size_t event, PlaceSet& places) const;
    void findHandedOver();
    [[nodiscard]] bool isStepByHand(const StackInterval& before, std::size_t first,
                                    std::size_t last) const;
    void decidePhases();
    [[nodiscard]] Phase gapPhase(std::size_t index) const;

    const trace::Events& m_events;
    const replay::DeviceReplay& m_replay;
    const StackKinds& m_kinds;
    StatedKinds m_stated;
    StackIntervals m_out;
    std::size_t m_first_forward = 0; ///< StackInterval.
    std::vector<std::uint32_t>& m_allocs;
    std::vector<StackInterval>& m_intervals;
    std::vector<StackKind>
        m_previous_solid; ///< Per interval: the nearest kind before it that is no gap.
    std::vector<StackKind> m_next_solid;
    PlaceSet m_input_places;
};

void IntervalCutter::collectAllocs()
{
    for (std::size_t i = 0; i < m_events.count(); ++i) {
        if (m_events.action[i] == Action::alloc || m_events.action[i] == Action::oom) {
            m_allocs.push_back(static_cast<std::uint32_t>(i));
        }
    }
}

void IntervalCutter::cut()
{
    std::size_t known = 0;
    for (const std::size_t e : m_allocs) {
        const StackKind k = m_kinds.kind(m_events.stack[e]);
        m_out.has_stacks = m_out.has_stacks || (k != StackKind::none && k != StackKind::empty);
        known += k == StackKind::forward || k == StackKind::optimizer ? 1U : 0U;
    }
    // With Python frames only, autograd's own thread has none: empty stacks are backward. That
    // holds only in a trace that otherwise shows a model at work.
    const bool empty_is_backward = known * 20 >= m_allocs.size() && known > 0;
    for (const std::size_t e : m_allocs) {
        StackKind k = m_kinds.kind(m_events.stack[e]);
        const bool says_nothing =
            k == StackKind::none || k == StackKind::empty || k == StackKind::other;
        const StackKind stated =
            says_nothing && m_out.has_stacks ? m_stated.at(EventId(e)) : StackKind::none;
        if (stated != StackKind::none) {
            k = stated;
        } else if (k == StackKind::none || k == StackKind::empty) {
            k = empty_is_backward ? StackKind::backward : StackKind::other;
        }
        k = k == StackKind::load_optimizer ? StackKind::load : k;
        // Clearing gradients before a pass is no optimizer step of its own, nor is the mark of a
        // step that runs the pass itself.
        const Traits traits = m_kinds.traits(m_events.stack[e]);
        if (k == StackKind::optimizer && (traits.has(Trait::zero_grad) || traits.has(Trait::mark))
            && (m_intervals.empty()
                || (m_intervals.back().kind != StackKind::optimizer
                    && m_intervals.back().kind != StackKind::backward))) {
            k = StackKind::other;
        }
        const bool generates = traits.has(Trait::generates);
        if (m_intervals.empty() || m_intervals.back().kind != k
            || m_intervals.back().generates != generates) {
            m_intervals.push_back({k, e, e, Phase::other, generates});
        }
        m_intervals.back().last_alloc = e;
    }
}

void IntervalCutter::markInner()
{
    const std::vector<bool> inner = findInnerBackwards(m_events, m_replay, m_kinds, m_out);
    for (std::size_t i = 0; i < inner.size(); ++i) {
        m_intervals[i].is_inner = inner[i];
    }
}

/// What an interval of plain user code is, from what comes before and after it.
Phase IntervalCutter::gapPhase(std::size_t index) const
{
    const StackKind previous = m_previous_solid[index];
    const StackKind next = m_next_solid[index];
    const bool has_run = index > m_first_forward; // Plain code between loads then makes no model.
    if (m_intervals[index].kind == StackKind::data) {
        return Phase::input;
    }
    switch (next) {
    case StackKind::forward:
        if (previous != StackKind::forward) {
            return Phase::input;
        }
        return m_input_places.contains(m_kinds.placeAt(m_events, m_intervals[index].first_alloc))
            ? Phase::input
            : Phase::forward;
    case StackKind::backward:
        return previous == StackKind::backward ? Phase::backward : Phase::forward;
    case StackKind::optimizer:
        return previous == StackKind::forward ? Phase::forward : Phase::optimizer;
    case StackKind::load:
        return has_run ? Phase::other : Phase::setup;
    default:
        return previous == StackKind::forward         ? Phase::forward
            : previous == StackKind::load && !has_run ? Phase::setup
                                                      : Phase::other;
    }
}

void IntervalCutter::findSolidNeighbours()
{
    m_first_forward = static_cast<std::size_t>(
        std::ranges::find(m_intervals, StackKind::forward, &StackInterval::kind)
        - m_intervals.begin());
    m_previous_solid.assign(m_intervals.size(), StackKind::none);
    m_next_solid.assign(m_intervals.size(), StackKind::none);
    for (std::size_t i = 1; i < m_intervals.size(); ++i) {
        const StackKind k = m_intervals[i - 1].kindAfter();
        m_previous_solid[i] = isGap(k) ? m_previous_solid[i - 1] : k;
    }
    for (std::size_t i = m_intervals.size(); i-- > 1;) {
        const StackKind k = m_intervals[i].kind;
        m_next_solid[i - 1] = isGap(k) ? m_next_solid[i] : k;
    }
}

/// Plain code that feeds the first pass, when no step can have come before it.
PlaceSet IntervalCutter::feedingPlaces() const
{
    PlaceSet places;
    for (std::size_t i = 0; i + 1 < m_intervals.size(); ++i) {
        const StackInterval& s = m_intervals[i];
        const bool is_first =
            m_previous_solid[i] == StackKind::none || m_previous_solid[i] == StackKind::load;
        if (!isGap(s.kind) || !is_first || m_next_solid[i] != StackKind::forward) {
            continue;
        }
        const auto from = std::ranges::lower_bound(m_allocs, s.first_alloc);
        for (auto it = from; it != m_allocs.end() && *it <= s.last_alloc; ++it) {
            places.insert(m_kinds.placeAt(m_events, *it));
        }
    }
    return places.empty() ? placesOfWhatForwardFinds() : places;
}

/// Where the trace begins in the middle of a step: plain code after a step whose memory is there
/// when the next pass begins.
PlaceSet IntervalCutter::placesOfWhatForwardFinds() const
{
    PlaceSet places;
    for (std::size_t i = 1; i + 1 < m_intervals.size(); ++i) {
        const StackKind before = m_intervals[i - 1].kindAfter();
        if (m_intervals[i].kind != StackKind::other
            || (before != StackKind::optimizer && before != StackKind::backward)
            || m_intervals[i + 1].kind != StackKind::forward) {
            continue;
        }
        addPlacesAlive(i, m_intervals[i + 1].first_alloc, places);
    }
    return places;
}

/// Places of an interval whose memory is there just before an event.
void IntervalCutter::addPlacesAlive(std::size_t interval, std::size_t event, PlaceSet& places) const
{
    const StackInterval& s = m_intervals[interval];
    const auto from = std::ranges::lower_bound(m_allocs, s.first_alloc);
    for (auto it = from; it != m_allocs.end() && *it <= s.last_alloc; ++it) {
        const AllocationId a = m_replay.event_allocation[*it];
        if (!a.isNone() && m_replay.allocations.isLive(a, StateId::before(EventId(event)))) {
            places.insert(m_kinds.placeAt(m_events, *it));
        }
    }
}

/// A trace that begins in the middle of a pass without gradients: the batch is what plain code
/// before a pass makes last, and what gives way to the next one.
void IntervalCutter::findHandedOver()
{
    constexpr std::size_t kSoon = 8; // Events.
    std::unordered_map<std::uint64_t, std::size_t, KeyedNumberHash> last_made; // By place.
    PlaceSet handed_over;
    PlaceSet kept_on;
    for (std::size_t i = 1; i + 1 < m_intervals.size(); ++i) {
        if (m_intervals[i].kind != StackKind::other || m_intervals[i - 1].kind != StackKind::forward
            || m_intervals[i + 1].kind != StackKind::forward) {
            continue;
        }
        const std::size_t made = m_intervals[i].last_alloc;
        const std::size_t place = m_kinds.placeAt(m_events, made);
        const auto [it, is_first] = last_made.try_emplace(place, made);
        const AllocationId a = m_replay.event_allocation[it->second];
        if (!is_first && !a.isNone()) {
            const std::size_t freed = m_replay.allocations.end[a.index()].index() - 1;
            (freed > made && freed <= made + kSoon ? handed_over : kept_on).insert(place);
        }
        it->second = made;
    }
    for (std::size_t i = 1; i + 1 < m_intervals.size(); ++i) {
        const std::size_t place = m_kinds.placeAt(m_events, m_intervals[i].last_alloc);
        if (m_intervals[i].kind == StackKind::other && handed_over.contains(place)
            && !kept_on.contains(place) && m_intervals[i + 1].kind == StackKind::forward) {
            addPlacesAlive(i, m_intervals[i + 1].first_alloc, m_input_places);
        }
    }
}

/// Whether plain code after a backward makes tensors in the sizes that the backward leaves: an
/// optimizer that is no class.
bool IntervalCutter::isStepByHand(const StackInterval& before, std::size_t first,
                                  std::size_t last) const
{
    const replay::Allocations& all = m_replay.allocations;
    const auto sizeAt = [&](std::size_t event) {
        return all.requested[m_replay.event_allocation[event].index()].value;
    };
    const auto isMade = [&](std::size_t event) {
        return m_events.action[event] == Action::alloc
            && !m_replay.event_allocation[event].isNone();
    };
    std::unordered_set<std::int64_t, KeyedNumberHash> gradients;
    for (std::size_t e = before.first_alloc; e <= before.last_alloc; ++e) {
        if (isMade(e)
            && all.isLive(m_replay.event_allocation[e], StateId::before(EventId(first)))) {
            gradients.insert(sizeAt(e));
        }
    }
    std::int64_t made = 0;
    std::int64_t alike = 0;
    std::size_t count = 0;
    for (std::size_t e = first; e <= last; ++e) {
        if (isMade(e)) {
            const bool is_alike = gradients.contains(sizeAt(e));
            made += sizeAt(e);
            alike += is_alike ? sizeAt(e) : 0;
            count += is_alike ? 1U : 0U;
        }
    }
    return count >= 2 && alike * 2 >= made;
}

/// What plain code does between a step and the feeding of the next pass (an average of the weights,
/// a step written by hand) belongs to the step.
void IntervalCutter::splitGaps()
{
    const auto feeding = feedingPlaces();
    if (feeding.empty()) {
        return;
    }
    PlaceSet beside; // Places that belong to a step.
    std::vector<StackInterval> split;
    for (std::size_t i = 0; i < m_intervals.size(); ++i) {
        const StackInterval& s = m_intervals[i];
        const StackKind before = i == 0 ? StackKind::none : m_intervals[i - 1].kindAfter();
        const bool is_end = m_next_solid[i] == StackKind::none;
        split.push_back(s);
        if (s.kind != StackKind::other
            || (before != StackKind::optimizer && before != StackKind::backward)
            || (m_next_solid[i] != StackKind::forward && !is_end)) {
            continue;
        }
        // At the end of the trace nothing feeds a pass: there the places must be known.
        const auto from = std::ranges::lower_bound(m_allocs, s.first_alloc);
        auto it = from;
        while (it != m_allocs.end() && *it <= s.last_alloc
               && (is_end ? beside.contains(m_kinds.placeAt(m_events, *it))
                          : !feeding.contains(m_kinds.placeAt(m_events, *it)))) {
            ++it;
        }
        const bool has_rest = it != m_allocs.end() && *it <= s.last_alloc;
        if (it == from || (!has_rest && !is_end)
            || (before == StackKind::backward
                && !isStepByHand(m_intervals[i - 1], s.first_alloc, *std::prev(it)))) {
            continue;
        }
        std::for_each(from, it,
                      [&](std::uint32_t e) { beside.insert(m_kinds.placeAt(m_events, e)); });
        split.back() = {StackKind::optimizer, s.first_alloc, *std::prev(it), Phase::other,
                        s.generates};
        if (has_rest) {
            split.push_back({s.kind, *it, s.last_alloc, Phase::other, s.generates});
        }
    }
    m_intervals = std::move(split);
    findSolidNeighbours();
}

void IntervalCutter::decidePhases()
{
    // First the places that certainly feed a pass: plain code after backward, optimizer or start.
    for (std::size_t i = 0; i + 1 < m_intervals.size(); ++i) {
        if (m_intervals[i].kind == StackKind::other && m_intervals[i + 1].kind == StackKind::forward
            && (i == 0 || m_intervals[i - 1].kindAfter() != StackKind::forward)) {
            const auto from = std::ranges::lower_bound(m_allocs, m_intervals[i].first_alloc);
            for (auto it = from; it != m_allocs.end() && *it <= m_intervals[i].last_alloc; ++it) {
                m_input_places.insert(m_kinds.placeAt(m_events, *it));
            }
        }
    }
    if (m_input_places.empty() && !m_intervals.empty()
        && m_intervals.front().kind == StackKind::forward) {
        findHandedOver();
    }
    for (std::size_t i = 0; i < m_intervals.size(); ++i) {
        switch (m_intervals[i].kind) {
        case StackKind::forward:
            m_intervals[i].phase = Phase::forward;
            break;
        case StackKind::backward:
            m_intervals[i].phase = m_intervals[i].is_inner ? Phase::forward : Phase::backward;
            break;
        case StackKind::optimizer:
            m_intervals[i].phase = Phase::optimizer;
            break;
        case StackKind::load:
            m_intervals[i].phase = Phase::setup;
            break;
        default:
            m_intervals[i].phase = gapPhase(i);
            break;
        }
    }
}

} // namespace

StackIntervals cutIntoIntervals(const trace::Snapshot& snapshot, const trace::Device& device,
                                const replay::DeviceReplay& replay, const StackKinds& kinds,
                                const StatedTimes& times)
{
    return IntervalCutter(snapshot, device, replay, kinds, times).run();
}

} // namespace tidemark::label
