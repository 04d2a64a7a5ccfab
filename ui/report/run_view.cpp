// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/run_view.h"

#include "core/base/format.h"
#include "core/diagnose/diagnosis.h"
#include "ui/models/language.h"
#include "ui/models/text.h"
#include "ui/report/text_block.h"
#include "ui/report/words.h"

#include <algorithm>

namespace tidemark::ui::report {
namespace {

template <class Part>
const Part* partOf(const std::vector<Part>& parts, std::size_t device)
{
    return device < parts.size() ? &parts[device] : nullptr;
}

} // namespace

StateId RunView::moment() const
{
    const StateId state = diagnosis != nullptr ? diagnosis->moment.state : replay->peak;
    return std::min(state, replay->lastState());
}

bool RunView::isOom() const
{
    return diagnosis != nullptr && diagnosis->moment.is_oom;
}

Bytes RunView::largest() const
{
    return replay == nullptr || replay->stateCount() == 0 ? Bytes{}
                                                          : replay->activeAt(replay->peak);
}

bool RunView::isEmpty() const
{
    return device == nullptr || device->isEmpty() || replay == nullptr || replay->stateCount() == 0;
}

bool RunView::hasHistory() const
{
    return !isEmpty()
        && (!replay->ooms.empty()
            || std::any_of(replay->event_allocation.begin(), replay->event_allocation.end(),
                           [](AllocationId a) { return !a.isNone(); }));
}

RunView runOfDevice(const diagnose::Analysis& analysis, std::size_t device, const QString& letter)
{
    RunView run;
    run.analysis = &analysis;
    run.snapshot = analysis.snapshot.get();
    run.device_index = device;
    run.device = partOf(analysis.snapshot->devices, device);
    if (analysis.replay) {
        run.replay = partOf(analysis.replay->devices, device);
    }
    if (analysis.labels) {
        run.labels = partOf(analysis.labels->devices, device);
    }
    if (analysis.curves) {
        run.curves = partOf(analysis.curves->devices, device);
    }
    if (analysis.diagnosis) {
        run.diagnosis = partOf(analysis.diagnosis->devices, device);
    }
    if (run.device != nullptr && run.labels != nullptr) {
        run.steps = label::StepNumbers(*run.snapshot, *run.device, *run.labels);
    }
    run.letter = letter;
    return run;
}

RunView mainRun(const diagnose::Analysis& analysis, const QString& letter)
{
    const bool has_main = analysis.replay && analysis.deviceCount() > 0;
    return runOfDevice(analysis, has_main ? analysis.mainDevice() : 0, letter);
}

QString fileTitle(const RunView& run)
{
    const QString name = shown(utf8(fileName(run.analysis->file)));
    return run.letter.isEmpty() ? name : run.letter % QStringLiteral(" · ") % name;
}

QString placeText(const RunView& run, StateId state)
{
    const label::DeviceLabels* labels = run.labels;
    if (labels == nullptr || labels->phases.empty()) {
        return {};
    }
    // A state belongs to the event that has just happened; the start to the first one.
    const label::PhaseSpan* span = labels->phaseAt(EventId(std::max(state.value, 1U) - 1));
    if (span == nullptr) {
        return {};
    }
    const std::int64_t number = run.steps.of(span->step);
    if (span->phase == label::Phase::other) {
        return span->step == 0 ? QString() : ReportWords::tr("step %1").arg(number);
    }
    const QString phase = inSentence(text(label::phaseName(span->phase)));
    return span->step == 0 ? phase : ReportWords::tr("%1 of step %2").arg(phase).arg(number);
}

QString stateText(StateId state)
{
    return state == StateId::start() ? ReportWords::tr("start of the trace")
                                     : text(formatEventNumber(state.eventNumber()));
}

QString stateAndPlace(const RunView& run, StateId state)
{
    const QString place = placeText(run, state);
    return place.isEmpty() ? stateText(state) : stateText(state) % QStringLiteral(" · ") % place;
}

} // namespace tidemark::ui::report
