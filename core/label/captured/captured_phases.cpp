// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/captured/label_captured.h"
#include "core/label/runs/runs.h"
#include "core/label/runs/steps.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tidemark::label {
namespace {

using trace::Action;
using trace::MomentKind;

struct Mark {
    StateId state;
    MomentKind kind;
    std::string_view name;
};

bool isAutomatic(MomentKind kind)
{
    return kind >= MomentKind::forward_begin && kind <= MomentKind::optimizer_end;
}

/// Turns marks into intervals, one mark after another.
class IntervalFinder {
public:
    IntervalFinder(const trace::Capture& capture, const trace::Device& device,
                   const std::vector<std::optional<CapturedPlace>>& places,
                   const std::vector<PhaseSpan>& inferred)
        : m_events(device.events)
        , m_last_moment(lastMoment(device))
        , m_inferred(inferred)
        , m_end{static_cast<std::uint32_t>(device.events.count())}
    {
        for (std::size_t m = 0; m < places.size(); ++m) {
            const MomentKind kind = capture.moments.kind[m];
            const bool tells =
                isAutomatic(kind) || kind == MomentKind::phase || kind == MomentKind::phase_end;
            if (places[m] && tells) {
                m_marks.push_back({places[m]->state, kind, capture.moments.name[m]});
            }
        }
        // Threads may have read counters in another order than they wrote moments.
        std::ranges::stable_sort(m_marks, {}, &Mark::state);
    }

    std::vector<CapturedInterval> find()
    {
        add(StateId::start(), m_marks.empty() ? m_end : m_marks.front().state, std::nullopt);
        for (m_at = 0; m_at < m_marks.size(); ++m_at) {
            take(m_marks[m_at]);
        }
        findSaved();
        return std::move(m_intervals);
    }

private:
    [[nodiscard]] StateId endOfMark() const
    {
        return m_at + 1 < m_marks.size() ? m_marks[m_at + 1].state : m_end;
    }

    /// The next mark that a hook set; null without.
    [[nodiscard]] const Mark* nextAutomatic() const
    {
        for (std::size_t i = m_at + 1; i < m_marks.size(); ++i) {
            if (isAutomatic(m_marks[i].kind)) {
                return &m_marks[i];
            }
        }
        return nullptr;
    }

    /// Grad mode on and the module in evaluation mode: a training pass all the same where backward
    /// follows it.
    [[nodiscard]] bool leadsToBackward() const
    {
        for (std::size_t i = m_at + 1; i < m_marks.size(); ++i) {
            if (m_marks[i].kind == MomentKind::backward_begin) {
                return true;
            }
            if (m_marks[i].kind == MomentKind::forward_begin) {
                return false;
            }
        }
        return false;
    }

    [[nodiscard]] Phase passPhase(std::string_view name) const
    {
        if (name == "evaluation") {
            return Phase::evaluation;
        }
        if (name == "inference") {
            return Phase::inference;
        }
        return name != "eval_mode" || leadsToBackward() ? Phase::forward : Phase::evaluation;
    }

    void add(StateId begin, StateId end, std::optional<Phase> phase)
    {
        if (begin < end) {
            m_intervals.push_back({begin, end, phase, std::nullopt, std::nullopt});
        }
    }

    void take(const Mark& mark)
    {
        const StateId end = endOfMark();
        if (mark.kind == MomentKind::phase) {
            m_said = phaseFromId(mark.name).value_or(Phase::other);
        } else if (mark.kind == MomentKind::phase_end) {
            m_said.reset();
        }
        if (isAutomatic(mark.kind)) {
            m_last = mark.kind;
            if (mark.kind == MomentKind::forward_begin) {
                m_pass = passPhase(mark.name);
                m_trains = m_trains || m_pass == Phase::forward;
            } else if (mark.kind != MomentKind::forward_end) {
                m_trains = false;
            }
        }
        if (m_said) {
            add(mark.state, end, m_said);
            return;
        }
        switch (m_last) {
        case MomentKind::forward_begin:
            addPass(mark.state, end);
            break;
        case MomentKind::forward_end:
            // A reference model's pass may lie inside of the pass that is trained.
            add(mark.state, end, m_trains && leadsToBackward() ? Phase::forward : m_pass);
            break;
        case MomentKind::backward_begin:
            add(mark.state, end, Phase::backward);
            break;
        case MomentKind::optimizer_begin:
            add(mark.state, end, Phase::optimizer);
            break;
        case MomentKind::backward_end:
            addGap(mark.state, end, Phase::backward);
            break;
        case MomentKind::optimizer_end:
            addGap(mark.state, end, Phase::optimizer);
            break;
        default:
            add(mark.state, end, std::nullopt);
        }
    }

    /// A pass that is followed by another one without having ended died on its way, at the request
    /// that failed: what lived there was kept for a backward that never came.
    void addPass(StateId begin, StateId end)
    {
        add(begin, end, m_pass);
        const Mark* const next = nextAutomatic();
        if (m_pass != Phase::forward || next == nullptr
            || next->kind != MomentKind::forward_begin) {
            return;
        }
        for (StateId s = end; begin < s; --s.value) {
            if (m_events.action[s.index() - 1] == Action::oom) {
                m_intervals.back().saved_until = StateId::before(EventId(s.index() - 1));
                return;
            }
        }
    }

    /// Until when stacks say that the phase before goes on.
    [[nodiscard]] StateId inferredEnd(StateId begin, StateId end, Phase before) const
    {
        const EventId first(begin.index());
        const auto it = std::ranges::upper_bound(m_inferred, first, {}, &PhaseSpan::first);
        if (it == m_inferred.begin() || std::prev(it)->phase != before) {
            return begin;
        }
        return std::clamp(StateId::before(std::prev(it)->end), begin, end);
    }

    /// Between the end of one phase and the next mark: what is only freed still belongs to it
    /// (zero_grad, the loss), and what its stacks name; what is allocated then prepares what comes
    /// next.
    void addGap(StateId begin, StateId end, Phase before)
    {
        StateId first = inferredEnd(begin, end, before);
        while (first < end && m_events.action[first.index()] != Action::alloc) {
            ++first.value;
        }
        add(begin, first, before);
        std::optional<Phase> phase;
        if (const Mark* const next = nextAutomatic()) {
            if (next->kind == MomentKind::optimizer_begin) {
                phase = Phase::optimizer; // Clipping and unscaling of gradients.
            } else if (next->kind == MomentKind::forward_begin) {
                phase = next->name == "evaluation" ? Phase::evaluation
                    : next->name == "inference"    ? Phase::inference
                                                   : Phase::input;
            }
        }
        add(first, end, phase);
    }

    /// For each forward interval the backward that it leads to.
    void findSaved()
    {
        std::optional<StateId> backward;
        std::optional<StateId> following; // The first pass after that backward.
        std::optional<StateId> forward; // The first one after the interval in hand.
        bool is_last = true; // Nothing but forward passes follows.
        for (std::size_t i = m_intervals.size(); i-- > 0;) {
            CapturedInterval& interval = m_intervals[i];
            if (interval.phase == Phase::backward) {
                backward = interval.begin;
                following = forward;
                is_last = false;
            } else if (interval.phase == Phase::optimizer) {
                backward.reset();
                is_last = false;
            } else if (interval.phase == Phase::forward) {
                forward = interval.begin;
                if (interval.saved_until) {
                    continue; // It died before any backward.
                }
                interval.saved_until = backward;
                interval.next_pass = following;
                if (is_last) {
                    interval.saved_until = m_last_moment;
                }
            }
        }
    }

    const trace::Events& m_events;
    StateId m_last_moment; ///< What lives there was not freed by an unwinding stack.
    const std::vector<PhaseSpan>& m_inferred;
    StateId m_end;
    std::vector<Mark> m_marks;
    std::size_t m_at = 0;
    std::optional<Phase> m_said; ///< By the program, until it says otherwise.
    MomentKind m_last = MomentKind::other;
    Phase m_pass = Phase::forward;
    bool m_trains = false; ///< A training pass began and no backward yet.
    std::vector<CapturedInterval> m_intervals;
};

void addSpan(std::vector<PhaseSpan>& spans, EventId first, EventId end, Phase phase)
{
    if (!(first < end)) {
        return;
    }
    if (!spans.empty() && spans.back().phase == phase) {
        spans.back().end = end;
    } else {
        spans.push_back({first, end, phase, 0});
    }
}

/// Captured phases where there are any, the inferred ones elsewhere.
std::vector<PhaseSpan> mergedSpans(const std::vector<CapturedInterval>& intervals,
                                   const std::vector<PhaseSpan>& inferred)
{
    std::vector<PhaseSpan> spans;
    for (const CapturedInterval& interval : intervals) {
        const EventId first(interval.begin.index());
        const EventId end(interval.end.index());
        if (interval.phase) {
            addSpan(spans, first, end, *interval.phase);
            continue;
        }
        auto span = std::ranges::upper_bound(inferred, first, {}, &PhaseSpan::end);
        for (; span != inferred.end() && span->first < end; ++span) {
            addSpan(spans, std::max(first, span->first), std::min(end, span->end), span->phase);
        }
    }
    return spans;
}

/// Steps as the program marked their ends; spans are cut there.
std::vector<Step> markedSteps(const std::vector<StateId>& ends, std::vector<PhaseSpan>& spans)
{
    std::vector<Step> steps;
    std::vector<PhaseSpan> cut;
    StateId begin;
    std::uint32_t number = 1;
    auto end = ends.begin();
    for (PhaseSpan span : spans) {
        for (; end != ends.end() && end->index() < span.end.index(); ++end, ++number) {
            if (begin < *end) {
                steps.push_back({EventId(begin.index()), EventId(end->index() - 1)});
            }
            begin = *end;
            if (span.first.index() < end->index()) {
                cut.push_back({span.first, EventId(end->index()), span.phase, number});
                span.first = EventId(end->index());
            }
        }
        span.step = number;
        cut.push_back(span);
    }
    for (; end != ends.end(); ++end) {
        if (begin < *end) {
            steps.push_back({EventId(begin.index()), EventId(end->index() - 1)});
        }
        begin = *end;
    }
    spans = std::move(cut);
    return steps;
}

} // namespace

std::vector<CapturedInterval>
capturedIntervals(const trace::Capture& capture, const trace::Device& device,
                  const std::vector<std::optional<CapturedPlace>>& places,
                  const std::vector<PhaseSpan>& inferred)
{
    return IntervalFinder(capture, device, places, inferred).find();
}

void replacePhases(const trace::Capture& capture, const trace::Device& device,
                   const std::vector<std::optional<CapturedPlace>>& places,
                   const std::vector<CapturedInterval>& intervals, DeviceLabels& labels)
{
    if (device.events.count() == 0) {
        return;
    }
    labels.phases = mergedSpans(intervals, labels.phases);
    std::vector<StateId> marked;
    bool any = false;
    for (std::size_t m = 0; m < places.size(); ++m) {
        if (capture.moments.kind[m] == MomentKind::step && places[m]) {
            any = true;
            if (!places[m]->is_earlier) {
                marked.push_back(places[m]->state);
            }
        }
    }
    std::ranges::sort(marked);
    labels.steps = any ? markedSteps(marked, labels.phases) : numberSteps(labels.phases);
}

} // namespace tidemark::label
