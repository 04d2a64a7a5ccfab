// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/comparer.h"

#include "core/compare/place_texts.h"
#include "ui/models/text.h"

#include <algorithm>
#include <utility>

namespace tidemark::ui {
namespace {

std::vector<PlaceWords> wordsOf(const std::vector<compare::PlaceDifference>& places,
                                const trace::Snapshot& base, const trace::Snapshot& against)
{
    const compare::PlaceTexts texts(base, against);
    std::vector<PlaceWords> words;
    words.reserve(places.size());
    for (const compare::PlaceDifference& place : places) {
        words.push_back({text(texts.where(place)), text(texts.operation(place))});
    }
    return words;
}

/// The step of a moment, as the trace counts; 0 outside of all.
std::uint32_t stepAt(const ComparedRun& run, StateId state)
{
    const auto& steps = run.labels().steps;
    const auto step = std::ranges::find_if(steps, [state](const label::Step& each) {
        return StateId::before(each.first_event) <= state
            && state <= StateId::after(each.last_event);
    });
    return step == steps.end() ? 0U : static_cast<std::uint32_t>(step - steps.begin() + 1);
}

/// Which steps lie beside each other because of what was set by hand last, where they are others.
std::optional<std::pair<std::uint32_t, std::uint32_t>>
stepsOf(const ComparedRun& base, const ComparedRun& against, const HandAlignment& by_hand)
{
    if (by_hand.pairs.empty()) {
        return std::nullopt;
    }
    const std::uint32_t a = stepAt(base, by_hand.pairs.back().a);
    const std::uint32_t b = stepAt(against, by_hand.pairs.back().b);
    return a == 0 || b == 0 || a == b ? std::nullopt : std::optional(std::pair(a, b));
}

} // namespace

std::optional<StateId> largestIn(const ComparedRun& run, label::Phase phase)
{
    std::optional<StateId> largest;
    const replay::DeviceReplay& replay = run.curves().replay();
    for (const label::PhaseSpan& span : run.labels().phases) {
        const StateId end{std::min<std::uint32_t>(span.end.value + 1,
                                                  static_cast<std::uint32_t>(replay.stateCount()))};
        const Interval<StateId> states{StateId::after(span.first), end};
        if (span.phase != phase || states.isEmpty()) {
            continue;
        }
        const StateId state = run.curves().largest(states);
        if (!largest || replay.activeAt(state) > replay.activeAt(*largest)) {
            largest = state;
        }
    }
    return largest;
}

Bytes ComparedRuns::baseBytes() const
{
    return difference.at == compare::At::peaks
        ? difference.headline.peak_a
        : base.curves().replay().activeAt(difference.parts.at_a);
}

QString ComparedRuns::differenceTitle() const
{
    return against.letter % QStringLiteral(" − ") % base.letter;
}

Bytes ComparedRuns::againstBytes() const
{
    return difference.at == compare::At::peaks
        ? difference.headline.peak_b
        : against.curves().replay().activeAt(difference.parts.at_b);
}

ComparedRuns compareRuns(const ComparedRun& base, const ComparedRun& against,
                         const ComparedMoment& moment, const HandAlignment& by_hand,
                         const std::stop_token& stop)
{
    ComparedRuns runs{base, against, moment, by_hand, {}, {}, {}, {}};
    compare::DifferenceOptions options;
    options.device_a = base.device;
    options.device_b = against.device;
    options.letter_a = utf8(base.letter);
    options.letter_b = utf8(against.letter);
    options.lists_moments = true;
    options.predicts = false;
    options.stop = stop;
    options.align.steps = stepsOf(base, against, by_hand);
    options.at = moment.at;
    options.state_a = moment.base;
    options.state_b = moment.against;
    if (moment.phase) {
        options.state_a = largestIn(base, *moment.phase).value_or(StateId::start());
        options.state_b = largestIn(against, *moment.phase).value_or(StateId::start());
    }
    runs.difference = compare::findDifference(base.analysis, against.analysis, options);
    if (stop.stop_requested()) {
        return runs;
    }
    std::vector<std::pair<StateId, StateId>> matched;
    for (const compare::MatchedMoment& pair : by_hand.is_shift
             ? by_hand.pairs
             : compare::withMomentsByHand(runs.difference.moments, by_hand.pairs)) {
        matched.emplace_back(pair.a, pair.b);
    }
    runs.boundaries = by_hand.is_shift
        ? by_hand.pairs
        : compare::withMomentsByHand(runs.difference.boundaries, by_hand.pairs);
    runs.axis = projection::shareAxis(matched, base.curves().replay().lastState(),
                                      against.curves().replay().lastState());
    runs.places =
        wordsOf(runs.difference.parts.places, *base.analysis.snapshot, *against.analysis.snapshot);
    return runs;
}

void Comparer::compare(const ComparedRun& base, const ComparedRun& against,
                       const ComparedMoment& moment, const HandAlignment& by_hand)
{
    Request request{base, against, moment, by_hand};
    if (m_request == request) {
        return;
    }
    m_request = request;
    m_is_comparing = true;
    Q_EMIT started();
    m_job.start(
        this,
        [request = std::move(request)](const std::stop_token& stop) {
            return compareRuns(request.base, request.against, request.moment, request.by_hand,
                               stop);
        },
        [this](const std::shared_ptr<ComparedRuns>& runs) {
            m_result = runs;
            m_is_comparing = false;
            Q_EMIT finished();
        });
}

void Comparer::clear()
{
    m_job.cancel();
    m_request.reset();
    m_result.reset();
    m_is_comparing = false;
}

} // namespace tidemark::ui
