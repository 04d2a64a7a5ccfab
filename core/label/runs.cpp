// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/runs.h"

#include "core/base/keyed_hash.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace tidemark::label {
namespace {

using trace::Action;

/// A maximal stretch of allocations of one kind, before phases are decided.
struct Stretch {
    StackKind kind = StackKind::other;
    std::size_t first_alloc = 0;
    std::size_t last_alloc = 0;
};

bool isGap(StackKind k)
{
    return k == StackKind::other || k == StackKind::data;
}

/// Saved for backward, or passing through? Training forward keeps about half of what it allocates;
/// a pass without gradients keeps next to nothing.
constexpr double kSavedShare = 0.15;
/// A pass this short, cut off by the end of the trace, says nothing about what it saves.
constexpr std::size_t kShortPass = 8;
/// Fewer allocations than this are no pass of their own.
constexpr std::size_t kShortestPass = 5;

class RunFinder {
public:
    RunFinder(const trace::Device& device, const replay::DeviceReplay& replay,
              const StackKinds& kinds)
        : m_events(device.events)
        , m_replay(replay)
        , m_kinds(kinds)
    {
    }

    Runs find()
    {
        collectAllocs();
        cutIntoStretches();
        decideGaps();
        makeRuns();
        splitPasses();
        closeRuns();
        decidePasses();
        linkRuns();
        countSteps();
        return std::move(m_out);
    }

private:
    void collectAllocs();
    void cutIntoStretches();
    void decideGaps();
    [[nodiscard]] Phase gapPhase(std::size_t index) const;
    void makeRuns();
    void splitPasses();
    void closeRuns();
    void decidePasses();
    [[nodiscard]] double savedShare(const Run& run) const;
    void linkRuns();
    void countSteps();
    [[nodiscard]] std::size_t placeAt(std::size_t event) const
    {
        return m_kinds.place(m_events.stack[event]);
    }

    const trace::Events& m_events;
    const replay::DeviceReplay& m_replay;
    const StackKinds& m_kinds;
    std::vector<std::uint32_t> m_allocs; ///< Events that allocate or fail to.
    std::vector<Stretch> m_stretches;
    std::vector<StackKind>
        m_previous_solid; ///< Per stretch: the nearest kind before it that is no gap.
    std::vector<StackKind> m_next_solid;
    std::vector<Phase> m_phases; ///< Per stretch.
    std::unordered_set<std::uint64_t, KeyedNumberHash> m_input_places;
    Runs m_out;
};

void RunFinder::collectAllocs()
{
    for (std::size_t i = 0; i < m_events.count(); ++i) {
        if (m_events.action[i] == Action::alloc || m_events.action[i] == Action::oom) {
            m_allocs.push_back(static_cast<std::uint32_t>(i));
        }
    }
}

void RunFinder::cutIntoStretches()
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
        if (k == StackKind::none || k == StackKind::empty) {
            k = empty_is_backward ? StackKind::backward : StackKind::other;
        }
        k = k == StackKind::load_optimizer ? StackKind::load : k;
        if (m_stretches.empty() || m_stretches.back().kind != k) {
            m_stretches.push_back({k, e, e});
        }
        m_stretches.back().last_alloc = e;
    }
}

/// What a stretch of plain user code is, from what comes before and after it.
Phase RunFinder::gapPhase(std::size_t index) const
{
    const StackKind previous = m_previous_solid[index];
    const StackKind next = m_next_solid[index];
    if (m_stretches[index].kind == StackKind::data) {
        return Phase::input;
    }
    switch (next) {
    case StackKind::forward:
        if (previous != StackKind::forward) {
            return Phase::input;
        }
        return m_input_places.contains(placeAt(m_stretches[index].first_alloc)) ? Phase::input
                                                                                : Phase::forward;
    case StackKind::backward:
        return previous == StackKind::backward ? Phase::backward : Phase::forward;
    case StackKind::optimizer:
        return previous == StackKind::forward ? Phase::forward : Phase::optimizer;
    case StackKind::load:
        return Phase::setup;
    default:
        return previous == StackKind::forward ? Phase::forward
            : previous == StackKind::load     ? Phase::setup
                                              : Phase::other;
    }
}

void RunFinder::decideGaps()
{
    m_previous_solid.assign(m_stretches.size(), StackKind::none);
    m_next_solid.assign(m_stretches.size(), StackKind::none);
    for (std::size_t i = 1; i < m_stretches.size(); ++i) {
        const StackKind k = m_stretches[i - 1].kind;
        m_previous_solid[i] = isGap(k) ? m_previous_solid[i - 1] : k;
    }
    for (std::size_t i = m_stretches.size(); i-- > 1;) {
        const StackKind k = m_stretches[i].kind;
        m_next_solid[i - 1] = isGap(k) ? m_next_solid[i] : k;
    }
    // First the places that certainly feed a pass: plain code after backward, optimizer or start.
    for (std::size_t i = 0; i + 1 < m_stretches.size(); ++i) {
        if (m_stretches[i].kind == StackKind::other && m_stretches[i + 1].kind == StackKind::forward
            && (i == 0 || m_stretches[i - 1].kind != StackKind::forward)) {
            const auto from = std::ranges::lower_bound(m_allocs, m_stretches[i].first_alloc);
            for (auto it = from; it != m_allocs.end() && *it <= m_stretches[i].last_alloc; ++it) {
                m_input_places.insert(placeAt(*it));
            }
        }
    }
    for (std::size_t i = 0; i < m_stretches.size(); ++i) {
        switch (m_stretches[i].kind) {
        case StackKind::forward:
            m_phases.push_back(Phase::forward);
            break;
        case StackKind::backward:
            m_phases.push_back(Phase::backward);
            break;
        case StackKind::optimizer:
            m_phases.push_back(Phase::optimizer);
            break;
        case StackKind::load:
            m_phases.push_back(Phase::setup);
            break;
        default:
            m_phases.push_back(gapPhase(i));
            break;
        }
    }
}

void RunFinder::makeRuns()
{
    for (std::size_t i = 0; i < m_stretches.size(); ++i) {
        const Stretch& s = m_stretches[i];
        if (!m_out.runs.empty() && m_out.runs.back().phase == m_phases[i]) {
            m_out.runs.back().last_alloc = EventId(s.last_alloc);
            continue;
        }
        Run run;
        run.phase = m_phases[i];
        run.first_alloc = EventId(s.first_alloc);
        run.last_alloc = EventId(s.last_alloc);
        m_out.runs.push_back(run);
        m_out.has_training =
            m_out.has_training || run.phase == Phase::backward || run.phase == Phase::optimizer;
    }
}

void RunFinder::splitPasses()
{
    // How often the place a pass begins with comes up in one training pass.
    std::unordered_map<std::uint64_t, std::size_t, KeyedNumberHash> per_pass;
    const auto countIn = [&](const Run& r, std::size_t place) {
        std::size_t n = 0;
        const auto from = std::ranges::lower_bound(m_allocs, r.first_alloc.index());
        for (auto it = from; it != m_allocs.end() && *it <= r.last_alloc.index(); ++it) {
            n += placeAt(*it) == place ? 1U : 0U;
        }
        return n;
    };
    for (std::size_t i = 0; i + 1 < m_out.runs.size(); ++i) {
        if (m_out.runs[i].phase == Phase::forward && m_out.runs[i + 1].phase == Phase::backward) {
            const std::size_t place = placeAt(m_out.runs[i].first_alloc.index());
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
        const std::size_t place = placeAt(run.first_alloc.index());
        const auto known = per_pass.find(place);
        const std::size_t every =
            known == per_pass.end() ? 1 : std::max<std::size_t>(1, known->second);
        std::size_t seen = 0;
        Run part = run;
        std::size_t length = 0;
        std::size_t previous = run.first_alloc.index();
        const auto from = std::ranges::lower_bound(m_allocs, run.first_alloc.index());
        for (auto it = from; it != m_allocs.end() && *it <= run.last_alloc.index(); ++it) {
            // Where no training pass tells how often the place comes up, two lookups at one line
            // are no pass.
            if (placeAt(*it) == place && seen++ % every == 0 && seen > 1
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
        runs.back().over = StateId::after(runs.back().last_alloc);
        runs.back().is_last = true;
    }
}

/// Share of a pass's allocations that are still there after its last one.
double RunFinder::savedShare(const Run& run) const
{
    std::size_t made = 0;
    std::size_t kept = 0;
    for (std::size_t i = run.first_alloc.index(); i <= run.last_alloc.index(); ++i) {
        const AllocationId a = m_replay.event_allocation[i];
        if (m_events.action[i] != Action::alloc || a.isNone()) {
            continue;
        }
        ++made;
        kept += m_replay.allocations.isLive(a, StateId::after(run.last_alloc)) ? 1U : 0U;
    }
    // The last operation's input and result are in flight in every pass.
    constexpr std::size_t kInFlight = 2;
    return kept <= kInFlight ? 0.0
                             : static_cast<double>(kept - kInFlight) / static_cast<double>(made);
}

void RunFinder::decidePasses()
{
    auto& runs = m_out.runs;
    const Phase without_gradients = m_out.has_training ? Phase::evaluation : Phase::inference;
    std::unordered_set<std::uint32_t> training_begins;
    for (std::size_t r = 0; r + 1 < runs.size(); ++r) {
        if (runs[r].phase == Phase::forward && runs[r + 1].phase == Phase::backward) {
            training_begins.insert(m_events.stack[runs[r].first_alloc.index()].value);
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
        if (feeds_backward || begins_like_training) {
            previous = Phase::forward;
        } else if (is_short) {
            runs[r].phase = previous;
        } else if (savedShare(runs[r]) < kSavedShare) {
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
        run.two_steps_later = second_optimizer_over;
        run.before_next_optimizer = optimizer;
        run.next_alike_over = alike;
        alike = run.over;
        if (run.phase == Phase::backward) {
            backward = StateId::before(run.first_alloc);
            has_backward = true;
        } else if (run.phase == Phase::optimizer) {
            has_backward = false;
            optimizer = StateId::before(run.first_alloc);
            second_optimizer_over = optimizer_over;
            optimizer_over = run.over;
        }
    }
}

/// A step ends where the first pass after an optimizer run begins: several optimizers, or an
/// average of the weights kept after the step, belong to it.
void RunFinder::countSteps()
{
    auto& runs = m_out.runs;
    std::uint32_t step = 0;
    bool open = false;
    bool has_optimizer = false;
    EventId first;
    EventId end;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        Run& run = runs[r];
        const bool feeds_training =
            run.phase == Phase::input && r + 1 < runs.size() && runs[r + 1].phase == Phase::forward;
        const bool begins =
            feeds_training || run.phase == Phase::forward || run.phase == Phase::backward;
        if (open && has_optimizer && begins) {
            m_out.steps.push_back({first, EventId(end.index() - 1)});
            open = false;
        }
        if (!open && (begins || run.phase == Phase::optimizer)) {
            open = true;
            has_optimizer = false;
            first = run.first;
            ++step;
        }
        if (run.phase == Phase::optimizer) {
            has_optimizer = true;
            end = run.end;
        }
        run.step = step;
    }
    if (open && has_optimizer) {
        m_out.steps.push_back({first, EventId(end.index() - 1)});
    }
}

} // namespace

std::size_t Runs::indexAt(EventId e) const
{
    const auto it = std::ranges::upper_bound(runs, e, {}, &Run::first);
    return it == runs.begin() ? 0 : static_cast<std::size_t>(it - runs.begin()) - 1;
}

Runs findRuns(const trace::Device& device, const replay::DeviceReplay& replay,
              const StackKinds& kinds)
{
    return RunFinder(device, replay, kinds).find();
}

} // namespace tidemark::label
