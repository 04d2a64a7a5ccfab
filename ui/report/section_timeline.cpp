// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/facts_model.h"
#include "ui/report/run_figure.h"
#include "ui/report/sections.h"
#include "ui/report/words.h"

#include <algorithm>
#include <memory>

namespace tidemark::ui::report {
namespace {

constexpr double kFigureGap = 6; ///< Under a figure.

bool hasTimeline(const RunView& run)
{
    return run.curves != nullptr && run.hasHistory();
}

/// The recommended fix as a line in the figure, if it changes sizes.
void addGhost(RunFigure& figure, const RunView& run)
{
    if (run.recommended) {
        figure.setGhost(run.recommended->after_active,
                        ReportWords::tr("After: %1").arg(run.recommended_title));
    }
}

void placeFigure(PageFlow& flow, const std::shared_ptr<const RunFigure>& figure)
{
    const QPointF at = flow.take(figure->height()).topLeft();
    flow.add([figure, at](QPainter& painter) { figure->draw(painter, at); });
    flow.space(kFigureGap);
}

} // namespace

void addTimeline(PageFlow& flow, const RunView& run, int level)
{
    constexpr double kPlotHeight = 215;
    constexpr double kLeastPlotHeight = 165;
    constexpr double kMostPlotHeight = 310;
    constexpr double kLeastLeft = 210; ///< Beside the least figure.
    constexpr double kAir = 8;
    if (run.isEmpty() || run.curves == nullptr || run.curves->stateCount() == 0) {
        return;
    }
    if (!hasTimeline(run)) {
        const StateBar bar(run, flow.width());
        addHeading(flow, ReportWords::tr("Memory at the dump"), level, 80);
        addParagraph(
            flow,
            ReportWords::tr(
                "This file holds the memory at one moment and no allocation events, so there is no "
                "timeline. To get one, call torch.cuda.memory._record_memory_history() before the "
                "part that matters."));
        const QPointF at = flow.take(bar.height()).topLeft();
        flow.add([bar, at](QPainter& painter) { bar.draw(painter, at); });
        return;
    }
    const auto figure = std::make_shared<RunFigure>(run, flow.width(), kLeastPlotHeight);
    addGhost(*figure, run);
    addHeading(flow, ReportWords::tr("Timeline of %1").arg(deviceName(*run.device)), level,
               figure->height() + kAir);
    // What is left of the page is too little for a table, so the figure takes it.
    const double left = flow.remaining() - figure->height() - kAir;
    figure->setPlotHeight(left < kLeastLeft ? std::min(kLeastPlotHeight + left, kMostPlotHeight)
                                            : kPlotHeight);
    placeFigure(flow, figure);
}

} // namespace tidemark::ui::report
