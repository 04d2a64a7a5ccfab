// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/run_figure.h"

#include "ui/models/text.h"
#include "ui/report/figure_style.h"
#include "ui/report/words.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/look/label_layout.h"
#include "ui/views/look/swatch.h"
#include "ui/views/timeline/step_strip.h"
#include "ui/views/timeline/timeline_figure.h"

#include <QtGui/QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::ui::report {
namespace {

constexpr double kTickRow = 14;
constexpr double kUnitsPerTick = 110; ///< As in the shared axis of events.

} // namespace

RunFigure::RunFigure(const RunView& run, double width, double plot_height)
    : m_run(run)
    , m_width(width * kUnitsPerPoint)
    , m_plot_height(plot_height * kUnitsPerPoint)
    , m_axis(*run.device, projection::Axis::event)
    , m_marks(timelineMarks(*run.analysis, run.device_index, m_axis))
{
    m_marks.flags = flagMarks(run.bookmarks, run.device_index, m_axis);
    m_style.font = figureFont();
    const int columns = static_cast<int>((m_width - kGutter) / kUnitsPerPoint * kColumnsPerPoint);
    m_projection = projection::projectTimeline(*run.curves, m_axis, m_axis.extent(), columns);
    m_top_bytes = ui::topBytes(projection::heights(m_projection), m_marks);
}

void RunFigure::setPlotHeight(double points)
{
    m_plot_height = points * kUnitsPerPoint;
}

void RunFigure::setGhost(const std::vector<std::int64_t>& after, const QString& name)
{
    const auto extent = m_axis.extent();
    const std::size_t count = m_projection.columns.size();
    const double per_column = (extent.end - extent.begin) / static_cast<double>(count);
    m_ghost.clear();
    for (std::size_t i = 0; i < count; ++i) {
        const double left = extent.begin + static_cast<double>(i) * per_column;
        const std::size_t first = m_axis.toState(left).index();
        const std::size_t last =
            std::max(first, m_axis.toState(std::nextafter(left + per_column, left)).index());
        if (last >= after.size()) {
            m_ghost.clear();
            return;
        }
        const auto begin = after.begin() + static_cast<std::ptrdiff_t>(first);
        m_ghost.push_back(
            *std::max_element(begin, after.begin() + static_cast<std::ptrdiff_t>(last) + 1));
    }
    m_ghost_name = name;
}

double RunFigure::stripsHeight() const
{
    if (m_run.labels == nullptr) {
        return 0;
    }
    return (m_run.labels->phases.empty() ? 0 : kStripHeight + 4)
        + (m_run.labels->stepsBegun().empty() ? 0 : kStripHeight);
}

double RunFigure::plotBottom() const
{
    return 4 + m_plot_height;
}

double RunFigure::height() const
{
    const double times = m_run.device->events.hasTimes() ? kTickRow : 0;
    return (plotBottom() + stripsHeight() + 4 + kTickRow + times + 6 + paintLegend(nullptr, {}))
        / kUnitsPerPoint;
}

std::vector<LegendEntry> RunFigure::legend() const
{
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        const label::Bucket bucket = label::bucketAt(i);
        if (m_run.curves->largestOf(bucket) > 0) {
            entries.push_back({text(label::bucketName(bucket)), {bucketColour(bucket)}});
        }
    }
    const ThemeColours& colours = m_style.colours;
    if (m_run.replay->hasPrivatePools()) {
        entries.push_back(
            {ReportWords::tr("Free in private pools"), {colours.cached, Swatch::Kind::dots}});
    }
    entries.push_back({ReportWords::tr("Cached"), {colours.cached, Swatch::Kind::tint}});
    entries.push_back({ReportWords::tr("Reserved"), {colours.reserved, Swatch::Kind::dashes}});
    const bool has_capacity = m_marks.capacity.has_value();
    const bool has_oom = !m_marks.ooms.empty();
    if (has_capacity || has_oom) {
        entries.push_back({!has_oom           ? ReportWords::tr("Capacity")
                               : has_capacity ? ReportWords::tr("Capacity, out of memory")
                                              : ReportWords::tr("Out of memory"),
                           {colours.danger, Swatch::Kind::line}});
    }
    if (!m_ghost.empty()) {
        entries.push_back({m_ghost_name, {colours.text, Swatch::Kind::line}});
    }
    return entries;
}

double RunFigure::paintLegend(QPainter* painter, QPointF corner) const
{
    return paintFigureLegend(painter, corner, m_width, legend());
}

/// The time that was reached at each tick of the event axis. Events are not evenly spread over
/// time.
void RunFigure::paintTimes(QPainter& painter, const TimelineScale& scale, double baseline) const
{
    const projection::AxisMap times(*m_run.device, projection::Axis::time);
    const QRectF row(scale.rect.left() - 10, baseline, scale.rect.width() + 10, kTickRow);
    LabelLayout layout(row);
    const auto put = [&](const QString& words, double center) {
        const double width = textWidth(words, kFigureGrey) + 10;
        const double left = std::clamp(center - width / 2, row.left(), row.right() + 5 - width);
        const std::array<QPointF, 1> places{
            QPointF(std::min(left, row.right() - width), row.top())};
        if (layout.place(QSizeF(width, kTickRow), places)) {
            drawFigureText(painter, words, kFigureGrey, QPointF(left + 5, row.top()), kTickRow);
        }
    };
    put(ReportWords::tr("time"), row.right());
    const int most = static_cast<int>(scale.rect.width() / kUnitsPerTick);
    for (const AxisTick& tick : axisTicks(projection::Axis::event, scale.range, most)) {
        const Duration reached(std::llround(times.toX(m_axis.toState(tick.at))));
        put(reached == Duration::zero() ? QStringLiteral("0 s") : durationText(reached),
            scale.x(tick.at));
    }
}

void RunFigure::draw(QPainter& painter, QPointF top_left) const
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(top_left);
    painter.scale(1 / kUnitsPerPoint, 1 / kUnitsPerPoint);
    TimelineScale scale;
    scale.range = m_projection.range;
    scale.top_bytes = m_top_bytes;
    scale.rect = QRectF(kGutter, 4, m_width - kGutter - 1, m_plot_height);
    double baseline = scale.rect.bottom() + stripsHeight() + 4;
    paintAxes(painter, scale, projection::Axis::event, baseline, m_style);
    baseline += kTickRow;
    if (m_run.device->events.hasTimes()) {
        paintTimes(painter, scale, baseline);
        baseline += kTickRow;
    }
    paintBands(painter, scale, m_projection, m_style);
    paintReserved(painter, scale, m_projection, m_style);
    if (!m_ghost.empty()) {
        paintGhost(painter, scale, m_ghost, m_style);
    }
    paintMarks(painter, scale, m_projection, m_marks, m_style);
    if (m_run.labels != nullptr) {
        QRectF strip(scale.rect.left(), scale.rect.bottom() + 4, scale.rect.width(), kStripHeight);
        if (!m_run.labels->phases.empty()) {
            paintPhases(painter, strip, scale, *m_run.labels, m_axis, m_style);
            strip.moveTop(strip.bottom());
        }
        if (!m_run.labels->stepsBegun().empty()) {
            paintSteps(painter, strip, scale, *m_run.labels, m_axis, m_style);
        }
    }
    paintLegend(&painter, QPointF(0, baseline + 6));
    painter.restore();
}

StateBar::StateBar(const RunView& run, double width)
    : m_run(run)
    , m_width(width)
{
}

double StateBar::height() const
{
    return 52;
}

void StateBar::draw(QPainter& painter, QPointF top_left) const
{
    const StateId state = m_run.replay->lastState();
    const label::BucketBytes buckets = m_run.curves->at(state);
    const auto reserved = static_cast<double>(m_run.replay->reservedAt(state).value);
    const auto active = static_cast<double>(m_run.replay->activeAt(state).value);
    const double per_byte = m_width / std::max({reserved, active, 1.0});
    const QRectF bar(top_left + QPointF(0, 2), QSizeF(m_width, 26));
    double x = bar.left();
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        const double width = static_cast<double>(buckets[i]) * per_byte;
        painter.fillRect(QRectF(x, bar.top(), width, bar.height()),
                         bucketColour(label::bucketAt(i)));
        x += width;
    }
    painter.fillRect(QRectF(x, bar.top(), bar.right() - x, bar.height()),
                     cachedColour(themeColours(Theme::light)));
    painter.setPen(QPen(kGrey, 0.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar);
    const TextBlock left(QStringLiteral("0"), kSmall, m_width);
    const QString cached = reserved > active
        ? ReportWords::tr("active %1, gray: cached %2")
              .arg(bytesText(m_run.replay->activeAt(state)),
                   bytesText(m_run.replay->reservedAt(state) - m_run.replay->activeAt(state)))
        : ReportWords::tr("active %1").arg(bytesText(m_run.replay->activeAt(state)));
    const TextBlock middle(cached, kSmall, m_width, TextBlock::Align::center);
    const TextBlock right(
        ReportWords::tr("reserved %1").arg(bytesText(m_run.replay->reservedAt(state))), kSmall,
        m_width, TextBlock::Align::right);
    for (const TextBlock& block : {left, middle, right}) {
        block.draw(painter, bar.bottomLeft() + QPointF(0, 4));
    }
}

} // namespace tidemark::ui::report
