// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/timeline_figure.h"

#include "ui/models/band_grouping.h"
#include "ui/models/text.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/look/swatch.h"
#include "ui/views/timeline/step_strip.h"
#include "ui/views/timeline/timeline_marks.h"
#include "ui/views/timeline/timeline_words.h"

#include <QtGui/QFontMetricsF>
#include <QtGui/QPainter>

#include <algorithm>
#include <cmath>
#include <functional>

namespace tidemark::ui {
namespace {

constexpr double kFigureLabelRoom = 14; ///< For a label above a line at the upper edge.
constexpr double kFigurePhases = 15;
constexpr double kStepHeight = 15;
constexpr double kWidestBandName = 260; ///< Of the legend; paths of modules are longer.

projection::TimelineProjection figureProjection(const TimelineFigure& figure,
                                                const projection::AxisMap& axis)
{
    return projection::projectTimeline(figure.analysis.curves->devices[figure.device], axis,
                                       figure.range.value_or(axis.extent()), figure.columns);
}

double byteLabelWidth(double top_bytes, double height, const QFontMetricsF& metrics)
{
    double width = 0;
    for (const AxisTick& tick : byteTicks(top_bytes, byteTickCount(height))) {
        width = std::max(width, metrics.horizontalAdvance(tick.label));
    }
    return width;
}

} // namespace

void paintAxes(QPainter& painter, const TimelineScale& scale, projection::Axis axis,
               double baseline, const TimelineStyle& style)
{
    painter.save();
    painter.setFont(style.font);
    const QFontMetricsF metrics(style.font, painter.device());
    paintGrid(painter, scale, style);
    painter.setPen(style.colours.text);
    for (const AxisTick& tick : byteTicks(scale.top_bytes, byteTickCount(scale.rect.height()))) {
        const double y = scale.y(tick.at);
        painter.drawText(QRectF(scale.rect.left() - 108, y - 10, 100, 20),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    const QString name =
        axis == projection::Axis::event ? TimelineWords::tr("event") : TimelineWords::tr("time");
    const double height = metrics.height() + 2;
    const QRectF name_area(scale.rect.right() - metrics.horizontalAdvance(name), baseline,
                           metrics.horizontalAdvance(name) + 1, height);
    painter.setPen(style.colours.secondary);
    painter.drawText(name_area, Qt::AlignRight | Qt::AlignVCenter, name);
    painter.setPen(style.colours.text);
    for (const AxisTick& tick : axisTicks(axis, scale.range, axisTickCount(scale.rect.width()))) {
        const double width = metrics.horizontalAdvance(tick.label) + 2;
        const double centre = std::max(scale.x(tick.at), scale.rect.left() - 8 + width / 2);
        const QRectF area(centre - width / 2, baseline, width, height);
        if (area.right() + 8 < name_area.left()) {
            painter.drawText(area, Qt::AlignCenter, tick.label);
        }
    }
    painter.restore();
}

double paintLegend(QPainter* painter, const QPointF& corner, double width,
                   const curves::DeviceCurves& curves, const TimelineStyle& style,
                   const BandGrouping* grouping)
{
    struct Entry {
        QString name;
        std::function<void(QPainter&, const QRectF&)> swatch;
    };
    std::vector<Entry> entries;
    const QFontMetricsF metrics(style.font);
    const auto shortened = [&](const QString& words) {
        return metrics.elidedText(words, Qt::ElideMiddle, kWidestBandName);
    };
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        const label::Bucket band = label::bucketAt(i);
        if (curves.largestOf(band) > 0) {
            entries.push_back({briefBandName(grouping, band, shortened),
                               [colour = style.bands[i]](QPainter& p, const QRectF& square) {
                                   paintSwatch(p, square, colour);
                               }});
        }
    }
    if (curves.replay().hasPrivatePools()) {
        entries.push_back(
            {TimelineWords::tr("Free in private pools"), [&](QPainter& p, const QRectF& square) {
                 paintPrivateSwatch(p, square, style.colours);
             }});
    }
    entries.push_back({TimelineWords::tr("Cached"), [&](QPainter& p, const QRectF& square) {
                           paintCachedSwatch(p, square, style.colours);
                       }});

    const double row = metrics.height() + 5;
    double x = 0;
    double y = 0;
    for (const Entry& entry : entries) {
        const double entry_width = 15 + metrics.horizontalAdvance(entry.name) + 14;
        if (x > 0 && x + entry_width > width) {
            x = 0;
            y += row;
        }
        if (painter != nullptr) {
            const QPointF at = corner + QPointF(x, y);
            painter->setFont(style.font);
            entry.swatch(*painter, QRectF(at.x(), at.y() + (row - 10) / 2, 10, 10));
            painter->setPen(style.colours.text);
            painter->drawText(QRectF(at.x() + 15, at.y(), entry_width, row),
                              Qt::AlignLeft | Qt::AlignVCenter, entry.name);
        }
        x += entry_width;
    }
    return y + row;
}

double figureTopBytes(const TimelineFigure& figure)
{
    const projection::AxisMap axis(figure.analysis.snapshot->devices[figure.device], figure.axis);
    return topBytes(projection::heights(figureProjection(figure, axis)),
                    timelineMarks(figure.analysis, figure.device, axis));
}

void paintFigure(QPainter& painter, const QRectF& rect, const TimelineFigure& figure,
                 const TimelineStyle& style)
{
    const projection::AxisMap axis(figure.analysis.snapshot->devices[figure.device], figure.axis);
    const auto projection = figureProjection(figure, axis);
    const TimelineMarks marks = timelineMarks(figure.analysis, figure.device, axis);
    const auto& curves = figure.analysis.curves->devices[figure.device];
    const auto& labels = figure.analysis.labels->devices[figure.device];

    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    TimelineStyle roomy = style;
    roomy.label_room = kFigureLabelRoom;
    double top = rect.top() + kFigureLabelRoom;
    if (figure.legend) {
        top += paintLegend(&painter, rect.topLeft(), rect.width(), curves, style);
    }
    TimelineScale scale;
    scale.range = projection.range;
    scale.top_bytes = figure.top_bytes.value_or(topBytes(projection::heights(projection), marks));
    const QFontMetricsF metrics(style.font, painter.device());
    const double strips = (labels.phases.empty() ? 0 : kFigurePhases + 4)
        + (labels.stepsBegun().empty() ? 0 : kStepHeight);
    scale.rect =
        QRectF(rect.left(), top, rect.width(), rect.bottom() - top - strips - metrics.height() - 6);
    scale.rect.setLeft(rect.left() + byteLabelWidth(scale.top_bytes, scale.rect.height(), metrics)
                       + 10);
    scale.rect.setRight(rect.right() - 2);

    paintAxes(painter, scale, figure.axis, scale.rect.bottom() + strips + 3, style);
    paintBands(painter, scale, projection, style);
    paintReserved(painter, scale, projection, style);
    paintMarks(painter, scale, projection, marks, roomy);
    QRectF strip(scale.rect.left(), scale.rect.bottom() + 4, scale.rect.width(), kFigurePhases);
    if (!labels.phases.empty()) {
        paintPhases(painter, strip, scale, labels, axis, style);
        strip.moveTop(strip.bottom());
    }
    if (!labels.stepsBegun().empty()) {
        strip.setHeight(kStepHeight);
        paintSteps(painter, strip, scale, labels, axis, style);
    }
    painter.restore();
}

} // namespace tidemark::ui
