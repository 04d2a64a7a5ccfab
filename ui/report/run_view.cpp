// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/run_view.h"

#include "core/diagnose/diagnosis.h"

#include <algorithm>

namespace tidemark::ui::report {

bool RunView::hasHistory() const
{
    return replay != nullptr
        && (!replay->ooms.empty()
            || std::ranges::any_of(replay->event_allocation,
                                   [](AllocationId a) { return !a.isNone(); }));
}

RunView mainRun(const diagnose::Analysis& analysis, const QString& letter)
{
    RunView run;
    run.analysis = &analysis;
    run.snapshot = analysis.snapshot.get();
    run.letter = letter;
    if (analysis.deviceCount() == 0) {
        return run;
    }
    run.device_index = analysis.mainDevice();
    run.device = &analysis.snapshot->devices[run.device_index];
    run.replay = &analysis.replay->devices[run.device_index];
    run.labels = &analysis.labels->devices[run.device_index];
    run.curves = &analysis.curves->devices[run.device_index];
    run.diagnosis = &analysis.diagnosis->devices[run.device_index];
    return run;
}

} // namespace tidemark::ui::report
