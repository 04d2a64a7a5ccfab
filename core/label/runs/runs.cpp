// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/runs/runs.h"

#include "core/base/keyed_hash.h"
#include "core/label/frameless/frameless_runs.h"
#include "core/label/runs/stack_intervals.h"
#include "core/label/runs/step_ends.h"
#include "core/label/runs/steps.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace tidemark::label {
namespace {

using trace::Action;

/// Saved for backward, or passing through? Training forward keeps about half of what it allocates;
/// a pass without gradients keeps next to nothing.
constexpr double kSavedShare = 0.15;
/// A pass this short, cut off by the end of the trace, says nothing about what it saves.
constexpr std::size_t kShortPass = 8;
/// Fewer allocations than this are no pass of their own.
constexpr std::size_t kShortestPass = 5;

class RunFinder {
public:
    RunFinder(const trace::Snapshot& snapshot, const trace::Device& device,
              const replay::DeviceReplay& replay, const StackKinds& kinds, const StatedTimes& times)
        : m_events(device.events)
        , m_replay(replay)
        , m_kinds(kinds)
        , m_cut(cutIntoIntervals(snapshot, device, replay, kinds, times))
        , m_allocs(m_cut.allocs)
    {
    }

    Runs find()
    {
        if (!makeFramelessRuns()) {
            makeRuns();
            splitPasses();
        }
        closeRuns();
        if (!m_out.is_frameless) {
            decidePasses();
        }
        markStepEnds(m_out.runs, m_events, m_replay);
        linkRuns();
        m_out.steps = numberSteps(m_out.runs);
        return std::move(m_out);
    }

private:
    bool makeFramelessRuns();
    void addRun(Phase phase, EventId first_alloc, EventId last_alloc);
    void makeRuns();
    [[nodiscard]] std::size_t recurrencesPerPass(const Run& run) const;
    void splitPasses();
    void closeRuns();
    [[nodiscard]] bool isTornDown() const;
    void decidePasses();
    [[nodiscard]] bool hasTrainedBefore() const;
    [[nodiscard]] double savedShare(const Run& run) const;
    [[nodiscard]] double savedShare(std::size_t first, std::size_t last) const;
    [[nodiscard]] bool savesLess(const Run& cut, const Run& training) const;
    void linkRuns();

    const trace::Events& m_events;
    const replay::DeviceReplay& m_replay;
    const StackKinds& m_kinds;
    StackIntervals m_cut;
    const std::vector<std::uint32_t>& m_allocs; ///< Events that allocate or fail to.
    Runs m_out;
};

/// Where hardly any allocation has a stack with frames, or the frames are all the program's own:
/// then only a training that shows in sizes and lifetimes counts.
bool RunFinder::makeFramelessRuns()
{
    constexpr std::size_t kHardlyAny = 50; // One in so many.
    m_out.has_stacks = m_cut.has_stacks;
    std::size_t with_frames = 0;
    bool any_telling = false;
    for (const std::size_t e : m_allocs) {
        const StackKind k = m_kinds.kind(m_events.stack[e]);
        with_frames += k != StackKind::none && k != StackKind::empty ? 1U : 0U;
        any_telling = any_telling
            || (k != StackKind::none && k != StackKind::empty && k != StackKind::other
                && k != StackKind::data);
    }
    const bool is_bare = with_frames * kHardlyAny <= m_allocs.size();
    const bool is_plain = !any_telling && with_frames < m_allocs.size();
    if (m_allocs.empty() || (!is_bare && !is_plain)) {
        return false;
    }
    const std::vector<FramelessPhase> found = findFramelessPhases(m_events, m_replay);
    if (!is_bare
        && std::ranges::find(found, Phase::backward, &FramelessPhase::phase) == found.end()) {
        return false;
    }
    for (const FramelessPhase& s : found) {
        addRun(s.phase, s.first, s.last);
    }
    m_out.is_frameless = !m_out.runs.empty();
    return m_out.is_frameless;
}

void RunFinder::addRun(Phase phase, EventId first_alloc, EventId last_alloc)
{
    Run run;
    run.phase = phase;
    run.first_alloc = first_alloc;
    run.last_alloc = last_alloc;
    m_out.runs.push_back(run);
    m_out.has_training =
        m_out.has_training || phase == Phase::backward || phase == Phase::optimizer;
}

void RunFinder::makeRuns()
{
    for (const StackInterval& s : m_cut.intervals) {
        if (!m_out.runs.empty() && m_out.runs.back().phase == s.phase
            && m_out.runs.back().generates == s.generates) {
            m_out.runs.back().last_alloc = EventId(s.last_alloc);
            continue;
        }
        addRun(s.phase, EventId(s.first_alloc), EventId(s.last_alloc));
        m_out.runs.back().generates = s.generates;
    }
}

/// How often the place that a run begins with comes up in one pass, where no training pass tells: a
/// pass visits nearly all the places of the run.
std::size_t RunFinder::recurrencesPerPass(const Run& run) const
{
    constexpr double kNearlyAll = 0.8;
    const auto from = std::ranges::lower_bound(m_allocs, run.first_alloc.index());
    const auto end = std::ranges::upper_bound(m_allocs, run.last_alloc.index());
    std::unordered_set<std::uint64_t, KeyedNumberHash> all;
    for (auto it = from; it != end; ++it) {
        all.insert(m_kinds.placeAt(m_events, *it));
    }
    const std::size_t place = m_kinds.placeAt(m_events, run.first_alloc.index());
    const auto isNearlyAll = [&](std::size_t visited) {
        return static_cast<double>(visited) >= kNearlyAll * static_cast<double>(all.size());
    };
    std::unordered_set<std::uint64_t, KeyedNumberHash> visited;
    std::size_t in_first = 0; // Recurrences in the first pass.
    std::size_t count = 0;
    for (auto it = from; it != end; ++it) {
        if (m_kinds.placeAt(m_events, *it) == place) {
            if (in_first == 0 && isNearlyAll(visited.size())) {
                in_first = count;
                visited.clear();
            }
            ++count;
        }
        visited.insert(m_kinds.placeAt(m_events, *it));
    }
    // What follows the first pass must be another one.
    return std::max<std::size_t>(1, in_first > 0 && isNearlyAll(visited.size()) ? in_first : count);
}

void RunFinder::splitPasses()
{
    // How often the place a pass begins with comes up in one training pass.
    std::unordered_map<std::uint64_t, std::size_t, KeyedNumberHash> per_pass;
    const auto countIn = [&](const Run& r, std::size_t place) {
        std::size_t n = 0;
        const auto from = std::ranges::lower_bound(m_allocs, r.first_alloc.index());
        for (auto it = from; it != m_allocs.end() && *it <= r.last_alloc.index(); ++it) {
            n += m_kinds.placeAt(m_events, *it) == place ? 1U : 0U;
        }
        return n;
    };
    for (std::size_t i = 0; i + 1 < m_out.runs.size(); ++i) {
        if (m_out.runs[i].phase == Phase::forward && m_out.runs[i + 1].phase == Phase::backward) {
            const std::size_t place = m_kinds.placeAt(m_events, m_out.runs[i].first_alloc.index());
            const std::size_t n = countIn(m_out.runs[i], place);
            const auto [it, fresh] = per_pass.emplace(place, n);
            it->second = fresh ? n : std::min(it->second, n);
        }
    }
    std::vector<Run> split;
    for (const Run& run : m_out.runs) {
        if (run.phase != Phase::forward) {
            split.push_back(run);
            continue;
        }
        const std::size_t place = m_kinds.placeAt(m_events, run.first_alloc.index());
        const auto known = per_pass.find(place);
        const std::size_t every = known == per_pass.end() ? recurrencesPerPass(run)
                                                          : std::max<std::size_t>(1, known->second);
        std::size_t seen = 0;
        Run part = run;
        std::size_t length = 0;
        std::size_t previous = run.first_alloc.index();
        const auto from = std::ranges::lower_bound(m_allocs, run.first_alloc.index());
        for (auto it = from; it != m_allocs.end() && *it <= run.last_alloc.index(); ++it) {
            // Where no training pass tells how often the place comes up, two lookups at one line
            // are no pass.
            if (m_kinds.placeAt(m_events, *it) == place && seen++ % every == 0 && seen > 1
                && length >= kShortestPass) {
                length = 0;
                part.last_alloc = EventId(previous);
                split.push_back(part);
                part = run;
                part.first_alloc = EventId(*it);
            }
            ++length;
            previous = *it;
        }
        part.last_alloc = run.last_alloc;
        split.push_back(part);
    }
    m_out.runs = std::move(split);
}

void RunFinder::closeRuns()
{
    const auto isSegment = [&](std::size_t i) {
        const Action a = m_events.action[i];
        return a == Action::segment_alloc || a == Action::segment_map || a == Action::segment_free
            || a == Action::segment_unmap;
    };
    auto& runs = m_out.runs;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        std::size_t first = r == 0 ? 0 : runs[r].first_alloc.index();
        while (r > 0 && isSegment(first - 1)) {
            --first;
        }
        runs[r].first = EventId(first);
        if (r > 0) {
            runs[r - 1].end = EventId(first);
            runs[r - 1].over = StateId::before(runs[r].first_alloc);
        }
    }
    if (!runs.empty()) {
        runs.back().end = EventId(m_events.count());
        runs.back().over = runs.back().phase == Phase::optimizer && !isTornDown()
            ? m_replay.lastState()
            : StateId::after(runs.back().last_alloc);
        runs.back().is_last = true;
    }
}

/// Whether the trace ends with the program's own end, which lets go of most of what there is.
bool RunFinder::isTornDown() const
{
    const replay::Allocations& all = m_replay.allocations;
    const StateId last = StateId::after(EventId(m_allocs.back()));
    std::int64_t alive = 0;
    std::int64_t left = 0;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const bool was_there = all.isLive(AllocationId(i), last);
        alive += was_there ? all.requested[i].value : 0;
        left += was_there && all.end[i] > m_replay.lastState() ? all.requested[i].value : 0;
    }
    return left * 2 < alive;
}

/// Share of a pass's allocations that are still there after its last one.
double RunFinder::savedShare(const Run& run) const
{
    return savedShare(run.first_alloc.index(), run.last_alloc.index());
}

/// A pass cut off by the end of the trace keeps much less than a training pass does after as many
/// allocations.
bool RunFinder::savesLess(const Run& cut, const Run& training) const
{
    const auto position = [&](EventId e) {
        return static_cast<std::size_t>(std::ranges::lower_bound(m_allocs, e.index())
                                        - m_allocs.begin());
    };
    const std::size_t length = position(cut.last_alloc) - position(cut.first_alloc);
    const std::size_t last =
        std::min(position(training.first_alloc) + length, position(training.last_alloc));
    constexpr double kMuchLess = 0.6;
    return savedShare(cut) < kMuchLess * savedShare(training.first_alloc.index(), m_allocs[last]);
}

/// Of the allocations or, if that is more, the mean over the stacks: a kernel written as a loop
/// over tiles is one operation, however many tiles it made and dropped.
double RunFinder::savedShare(std::size_t first, std::size_t last) const
{
    struct Made {
        std::size_t made = 0;
        std::size_t kept = 0;
    };
    std::unordered_map<StackId, Made> stacks;
    std::size_t kept = 0;
    for (std::size_t i = first; i <= last; ++i) {
        const AllocationId a = m_replay.event_allocation[i];
        if (m_events.action[i] != Action::alloc || a.isNone()) {
            continue;
        }
        const bool is_kept = m_replay.allocations.isLive(a, StateId::after(EventId(last)));
        Made& of_stack = stacks[m_events.stack[i]];
        ++of_stack.made;
        of_stack.kept += is_kept ? 1U : 0U;
        kept += is_kept ? 1U : 0U;
    }
    // The last operation's input and result are in flight in every pass.
    constexpr std::size_t kInFlight = 2;
    if (kept <= kInFlight) {
        return 0.0;
    }
    double made = 0;
    double share = 0;
    for (const auto& [stack, of_stack] : stacks) {
        made += static_cast<double>(of_stack.made);
        share += static_cast<double>(of_stack.kept) / static_cast<double>(of_stack.made);
    }
    const auto all = static_cast<double>(kept);
    return std::max(all / made, share / static_cast<double>(stacks.size())) * (all - kInFlight)
        / all;
}

/// Whether something is there from before the trace that only a training makes.
bool RunFinder::hasTrainedBefore() const
{
    const replay::Allocations& all = m_replay.allocations;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const StackKind kind = m_kinds.kind(all.stack[i]);
        if (all.alloc_event[i].isNone()
            && (kind == StackKind::optimizer || kind == StackKind::backward
                || kind == StackKind::load_optimizer)) {
            return true;
        }
    }
    return false;
}

void RunFinder::decidePasses()
{
    auto& runs = m_out.runs;
    const Phase without_gradients =
        m_out.has_training || hasTrainedBefore() ? Phase::evaluation : Phase::inference;
    std::unordered_set<std::uint32_t> training_begins;
    const Run* training = nullptr; // The last pass that feeds a backward.
    for (std::size_t r = 0; r + 1 < runs.size(); ++r) {
        if (runs[r].phase == Phase::forward && runs[r + 1].phase == Phase::backward) {
            training_begins.insert(m_events.stack[runs[r].first_alloc.index()].value);
            training = &runs[r];
        }
    }
    Phase previous = Phase::forward;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        if (runs[r].phase != Phase::forward) {
            if (runs[r].phase == Phase::backward || runs[r].phase == Phase::optimizer) {
                previous = Phase::forward;
            }
            continue;
        }
        const bool feeds_backward = r + 1 < runs.size() && runs[r + 1].phase == Phase::backward;
        const std::size_t events = runs[r].last_alloc.index() - runs[r].first_alloc.index() + 1;
        const bool is_short = events < kShortPass && runs[r].is_last;
        // Cut off by the end of the trace, but begun like every training pass before it.
        const bool begins_like_training = runs[r].is_last && previous == Phase::forward
            && training_begins.contains(m_events.stack[runs[r].first_alloc.index()].value);
        if (runs[r].generates) {
            runs[r].phase = without_gradients;
            previous = without_gradients;
        } else if (feeds_backward || begins_like_training) {
            previous = Phase::forward;
        } else if (is_short) {
            runs[r].phase = previous;
        } else if (savedShare(runs[r]) < kSavedShare
                   || (runs[r].is_last && training != nullptr && savesLess(runs[r], *training))) {
            runs[r].phase = without_gradients;
            previous = without_gradients;
        } else {
            previous = Phase::forward;
        }
    }
}

/// One walk from the back fills in what each run needs to know of those after it.
void RunFinder::linkRuns()
{
    auto& runs = m_out.runs;
    StateId backward;
    bool has_backward = false;
    StateId optimizer = runs.empty() ? StateId::start() : runs.back().over;
    std::optional<StateId> optimizer_over;
    std::optional<StateId> second_optimizer_over;
    std::array<std::optional<StateId>, kPhaseCount> over_of;
    for (std::size_t r = runs.size(); r-- > 0;) {
        Run& run = runs[r];
        std::optional<StateId>& alike = over_of[static_cast<std::size_t>(run.phase)];
        run.saved_until = has_backward ? backward : StateId::after(run.last_alloc);
        run.step_over = optimizer_over;
        run.two_steps_later = second_optimizer_over;
        run.before_next_optimizer = optimizer;
        run.next_alike_over = alike;
        alike = run.over;
        if (run.ends_step || run.phase == Phase::optimizer) {
            has_backward = false;
            optimizer = run.ends_step ? run.over : StateId::before(run.first_alloc);
            second_optimizer_over = optimizer_over;
            optimizer_over = run.over;
        }
        if (run.phase == Phase::backward) {
            backward = StateId::before(run.first_alloc);
            has_backward = true;
        }
    }
}

} // namespace

std::size_t Runs::indexAt(EventId e) const
{
    const auto it = std::ranges::upper_bound(runs, e, {}, &Run::first);
    return it == runs.begin() ? 0 : static_cast<std::size_t>(it - runs.begin()) - 1;
}

StateId lastMoment(const trace::Device& device)
{
    for (std::size_t i = device.events.count(); i-- > 0;) {
        const Action action = device.events.action[i];
        if (action == Action::alloc || action == Action::oom) {
            return StateId::after(EventId(i));
        }
    }
    return StateId::start();
}

Runs findRuns(const trace::Snapshot& snapshot, const trace::Device& device,
              const replay::DeviceReplay& replay, const StackKinds& kinds, const StatedTimes& times)
{
    return RunFinder(snapshot, device, replay, kinds, times).find();
}

} // namespace tidemark::label
