// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/compare.h"
#include "ui/models/text.h"
#include "ui/report/run_figure.h"
#include "ui/report/sections.h"
#include "ui/report/table.h"
#include "ui/report/words.h"
#include "ui/views/palette.h"

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
                        QStringLiteral("After: ") % run.recommended_title);
    }
}

void placeFigure(PageFlow& flow, const std::shared_ptr<const RunFigure>& figure)
{
    const QPointF at = flow.take(figure->height()).topLeft();
    flow.add([figure, at](QPainter& painter) { figure->draw(painter, at); });
    flow.space(kFigureGap);
}

TableRow deltaRow(Cell name, Bytes a, Bytes b, Bytes largest, const TextStyle& style)
{
    const Bytes delta = b - a;
    const QString sign = delta.value > 0 ? QStringLiteral("+") : QString();
    TableRow row;
    row.cells.push_back(std::move(name));
    row.cells.push_back(cell(columnText(a, largest), style));
    row.cells.push_back(cell(columnText(b, largest), style));
    row.cells.push_back(cell(sign % columnText(delta, largest), style));
    row.cells.push_back(cell(
        a.value > 0
            ? sign % percentText(static_cast<double>(delta.value) / static_cast<double>(a.value))
            : QString(),
        style));
    return row;
}

void addDeltas(PageFlow& flow, const compare::Comparison& comparison)
{
    const Bytes largest = std::max(comparison.peak_a, comparison.peak_b);
    Table table;
    table.columns = {{QStringLiteral("Bucket, each at its run's peak")},
                     {QStringLiteral("A"), 80, TextBlock::Align::right},
                     {QStringLiteral("B"), 80, TextBlock::Align::right},
                     {QStringLiteral("B against A"), 80, TextBlock::Align::right},
                     {QStringLiteral("Change"), 60, TextBlock::Align::right}};
    for (auto delta = comparison.buckets.rbegin(); delta != comparison.buckets.rend(); ++delta) {
        Cell name = cell(text(label::bucketName(delta->bucket)));
        name.swatch = Swatch{bucketColour(delta->bucket)};
        table.rows.push_back(deltaRow(std::move(name), delta->a, delta->b, largest, kBody));
    }
    TableRow total = deltaRow(cell(QStringLiteral("Peak, requested bytes"), kBold),
                              comparison.peak_a, comparison.peak_b, largest, kBold);
    total.is_total = true;
    table.rows.push_back(std::move(total));
    addTable(flow, table, QStringLiteral("Bucket by bucket"));
}

void addLines(PageFlow& flow, const QString& title, const std::vector<std::string>& lines)
{
    if (lines.empty()) {
        return;
    }
    addSubheading(flow, title);
    for (const std::string& line : lines) {
        addBullet(flow, {{shown(line), kBody}});
    }
}

/// Two figures under each other. Their axes of bytes are the same, so heights can be compared.
/// Leaves `room` on the page where it can.
void addPair(PageFlow& flow, const RunView& a, const RunView& b, double room)
{
    constexpr double kLeastPlotHeight = 88;
    constexpr double kMostPlotHeight = 150;
    constexpr double kTitle = 20;
    const auto first = std::make_shared<RunFigure>(a, flow.width(), 0);
    const auto second = std::make_shared<RunFigure>(b, flow.width(), 0);
    const double top = std::max(first->topBytes(), second->topBytes());
    first->setTopBytes(top);
    second->setTopBytes(top);
    first->leaveLegendTo(*second);
    const double others = first->height() + second->height() + 2 * kTitle + 2 * kFigureGap;
    const double plot_height =
        std::clamp((flow.remaining() - others - room) / 2, kLeastPlotHeight, kMostPlotHeight);
    for (const auto& [run, figure] : {std::pair(&a, first), std::pair(&b, second)}) {
        figure->setPlotHeight(plot_height);
        flow.ensure(figure->height() + kTitle);
        addParagraph(flow,
                     {{elidedMiddle(fileTitle(*run), kBold, flow.width() * 0.6), kBold},
                      {QStringLiteral("   ") % deviceName(*run->device), kSmall}},
                     0, 2);
        placeFigure(flow, figure);
    }
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
        addHeading(flow, QStringLiteral("Memory at the dump"), level, 80);
        addParagraph(
            flow,
            QStringLiteral(
                "This file holds the memory at one moment and no allocation events, so there is no "
                "timeline. To get one, call torch.cuda.memory._record_memory_history() before the "
                "part that matters."));
        const QPointF at = flow.take(bar.height()).topLeft();
        flow.add([bar, at](QPainter& painter) { bar.draw(painter, at); });
        return;
    }
    const auto figure = std::make_shared<RunFigure>(run, flow.width(), kLeastPlotHeight);
    addGhost(*figure, run);
    addHeading(flow, QStringLiteral("Timeline of ") % deviceName(*run.device), level,
               figure->height() + kAir);
    // What is left of the page is too little for a table, so the figure takes it.
    const double left = flow.remaining() - figure->height() - kAir;
    figure->setPlotHeight(left < kLeastLeft ? std::min(kLeastPlotHeight + left, kMostPlotHeight)
                                            : kPlotHeight);
    placeFigure(flow, figure);
}

void addComparison(PageFlow& flow, const RunView& a, const RunView& b)
{
    const TextStyle title{17, true, false, kInk};
    flow.addBookmark(QStringLiteral("Comparison"), 0);
    addParagraph(flow, {{QStringLiteral("Two runs compared"), title}}, 0, 3);
    for (const RunView* run : {&a, &b}) {
        const TextStyle grey{9, false, false, kGrey};
        addParagraph(flow, {{elidedMiddle(fileTitle(*run), grey, flow.width()), grey}}, 0, 1);
    }
    flow.space(6);
    const bool is_complete = a.curves != nullptr && b.curves != nullptr && a.labels != nullptr
        && b.labels != nullptr && !a.isEmpty() && !b.isEmpty();
    if (!is_complete) {
        addParagraph(
            flow,
            QStringLiteral("At least one of the files holds no memory of a device, so there is "
                           "nothing to compare. Each file is described below."));
        return;
    }
    const compare::Comparison comparison =
        compare::compare(*a.analysis, a.device_index, *b.analysis, b.device_index);
    addCard(flow, themeColours(Theme::light).accent,
            {{{shown(comparison.sentence), TextStyle{11, true, false, kInk}}}});
    if (hasTimeline(a) && hasTimeline(b)) {
        addHeading(flow, QStringLiteral("Both timelines on one scale"), 1, 180);
        constexpr double kTableHead = 60;
        constexpr double kTableRow = 17;
        const auto rows = static_cast<double>(comparison.buckets.size() + 1);
        addPair(flow, a, b, kTableHead + kTableRow * rows);
    }
    addDeltas(flow, comparison);
    addLines(flow, QStringLiteral("Allocator settings that differ"), comparison.settings);
    addLines(flow, QStringLiteral("Mind"), comparison.warnings);
}

} // namespace tidemark::ui::report
