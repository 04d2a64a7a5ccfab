// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/placed_figures.h"

#include "core/diagnose/diagnose.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/prediction.h"
#include "core/report/job_parts.h"
#include "ui/report/job_figure.h"
#include "ui/report/lanes_figure.h"
#include "ui/report/run_figure.h"
#include "ui/report/words.h"

#include <QtCore/QStringList>

#include <algorithm>
#include <memory>
#include <utility>

namespace tidemark::ui::report {
namespace {

void place(PageFlow& flow, const auto& figure)
{
    const QPointF at = flow.take(figure->height()).topLeft();
    flow.add([figure, at](QPainter& painter) { figure->draw(painter, at); });
    flow.space(6);
}

/// The recommended fix as a line in the figure, if it changes sizes.
void addGhost(RunFigure& figure, const RunView& run)
{
    QStringList titles;
    const diagnose::Fix* recommended = nullptr;
    for (const diagnose::Fix& fix : run.diagnosis->fixes) {
        if (fix.status == diagnose::FixStatus::recommended) {
            recommended = recommended == nullptr ? &fix : recommended;
            titles << shown(fix.title);
        }
    }
    if (recommended == nullptr) {
        return;
    }
    const auto changes = diagnose::parseChanges(recommended->apply);
    if (changes.has_value() && !changes.value().empty()) {
        figure.setGhost(
            diagnose::predict(*run.analysis, run.device_index, changes.value()).after_active,
            ReportWords::tr("After: %1").arg(titles.join(QStringLiteral(" + "))));
    }
}

} // namespace

bool placeTimeline(PageFlow& flow, const RunView& run)
{
    constexpr double kPlotHeight = 165;
    constexpr double kMostPlotHeight = 230;
    constexpr double kLeastLeft = 100; ///< Less is too little for what follows.
    constexpr double kAir = 8;
    if (run.curves->stateCount() == 0) {
        return false;
    }
    if (!run.hasHistory()) {
        place(flow, std::make_shared<const StateBar>(run, flow.width()));
        return true;
    }
    const auto figure = std::make_shared<RunFigure>(run, flow.width(), kPlotHeight);
    addGhost(*figure, run);
    flow.ensure(figure->height() + kAir);
    const double left = flow.remaining() - figure->height() - kAir;
    if (left < kLeastLeft) {
        figure->setPlotHeight(std::min(kPlotHeight + left, kMostPlotHeight));
    }
    place(flow, figure);
    return true;
}

bool placeLanes(PageFlow& flow, const RunView& a, const RunView& b,
                const compare::Difference& difference)
{
    constexpr double kLeast = 300; ///< A lower figure would rather have a page of its own.
    constexpr double kMost = 430;
    if (!a.hasHistory() || !b.hasHistory()) {
        return false;
    }
    std::vector<std::pair<StateId, StateId>> matched;
    for (const compare::MatchedMoment& moment : difference.moments) {
        matched.emplace_back(moment.a, moment.b);
    }
    const projection::SharedAxis axis =
        projection::shareAxis(matched, a.replay->lastState(), b.replay->lastState());
    flow.ensure(kLeast);
    place(flow,
          std::make_shared<const LanesFigure>(a, b, axis, flow.width(),
                                              std::clamp(flow.remaining() - 4, kLeast, kMost)));
    return true;
}

bool placeJob(PageFlow& flow, const job::Job& job)
{
    std::vector<std::size_t> drawn = tidemark::report::drawnRows(job);
    if (drawn.empty()) {
        return false;
    }
    flow.space(10);
    place(flow,
          std::make_shared<const JobFigure>(job, std::move(drawn), flow.width(), flow.remaining()));
    return true;
}

} // namespace tidemark::ui::report
