// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/annotation_painter.h"

#include "core/base/short_text.h"
#include "ui/models/text.h"
#include "ui/views/look/theme.h"

#include <QtGui/QPainter>

#include <algorithm>
#include <array>
#include <limits>

namespace tidemark::ui {
namespace {

using projection::AnnotationSpan;

Interval<double> pixelsOf(const AnnotationSpan& span, const TimelineScale& scale,
                          const ViewState& state)
{
    const Interval<double> extent =
        projection::extentOf(span, state.traceDevice(), state.axisMap());
    return {scale.x(extent.begin), scale.x(extent.end)};
}

} // namespace

int annotationHeight(const ViewState& state)
{
    return kAnnotationLaneHeight
        * static_cast<int>(std::min(state.annotations().lanes, kMostAnnotationLanes));
}

void paintAnnotations(QPainter& painter, const QRectF& strip, const TimelineScale& scale,
                      const ViewState& state, const TimelineStyle& style)
{
    painter.save();
    painter.setClipRect(strip, Qt::IntersectClip);
    painter.setFont(style.font);
    const QFontMetricsF metrics(style.font, painter.device());
    std::array<double, kMostAnnotationLanes> painted{};
    painted.fill(-std::numeric_limits<double>::infinity());
    for (const AnnotationSpan& span : state.annotations().spans) {
        if (span.lane >= kMostAnnotationLanes) {
            continue;
        }
        const Interval<double> x = pixelsOf(span, scale, state);
        const double left = std::max(x.begin, strip.left());
        const double right = std::max(std::min(x.end, strip.right()), left + 1);
        if (x.end < strip.left() || x.begin > strip.right() || right <= painted[span.lane] + 0.5) {
            continue;
        }
        painted[span.lane] = right;
        const QRectF area(left, strip.top() + span.lane * kAnnotationLaneHeight + 1, right - left,
                          kAnnotationLaneHeight - 1);
        QColor fill = style.colours.secondary;
        fill.setAlphaF(span.name.value % 2 == 0 ? 0.22F : 0.34F);
        painter.fillRect(area.adjusted(0, 0, area.width() > 3 ? -1 : 0, 0), fill);
        if (area.width() > 24) {
            const QString name =
                metrics.elidedText(text(shownName(state.analysis().snapshot->text(span.name))),
                                   Qt::ElideRight, area.width() - 6);
            if (name.size() > 1) {
                painter.setPen(style.colours.text);
                painter.drawText(area.adjusted(3, 0, -3, 0), Qt::AlignLeft | Qt::AlignVCenter,
                                 name);
            }
        }
    }
    painter.restore();
}

const AnnotationSpan* annotationAt(const QPointF& position, const QRectF& strip,
                                   const TimelineScale& scale, const ViewState& state)
{
    if (!strip.contains(position)) {
        return nullptr;
    }
    const auto lane =
        static_cast<std::uint32_t>((position.y() - strip.top()) / kAnnotationLaneHeight);
    const AnnotationSpan* found = nullptr;
    for (const AnnotationSpan& span : state.annotations().spans) {
        const Interval<double> x = pixelsOf(span, scale, state);
        if (span.lane == lane && x.begin <= position.x()
            && position.x() <= std::max(x.end, x.begin + 1)) {
            found = &span; // The one that began last.
        }
    }
    return found;
}

} // namespace tidemark::ui
