// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline_layers.h"

#include "core/base/format.h"
#include "ui/models/text.h"
#include "ui/views/annotation_painter.h"
#include "ui/views/axis_ticks.h"
#include "ui/views/layers_painter.h"

#include <QtGui/QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace tidemark::ui {

BandPlottable::BandPlottable(QCPAxis* key_axis, QCPAxis* value_axis, SceneFor scene)
    : QCPAbstractPlottable(key_axis, value_axis)
    , m_scene(std::move(scene))
{
    setSelectable(QCP::stNone);
}

double BandPlottable::selectTest(const QPointF&, bool, QVariant*) const
{
    return -1; // Hits are tested on the projection.
}

QCPRange BandPlottable::getKeyRange(bool& found, QCP::SignDomain) const
{
    found = false; // Ranges come from the view state.
    return {};
}

QCPRange BandPlottable::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const
{
    found = false;
    return {};
}

void BandPlottable::draw(QCPPainter* painter)
{
    TimelineScene* scene = m_scene(*painter);
    if (scene == nullptr) {
        return;
    }
    if (painter->modes().testFlag(QCPPainter::pmVectorized)) {
        painter->setAntialiasing(true);
        if (scene->showsAllocations()) {
            paintLayers(*painter, scene->scale(), scene->projection(), scene->layers(),
                        scene->style());
            paintSelected(*painter, scene->scale(), scene->layers(), scene->style());
        } else {
            paintBands(*painter, scene->scale(), scene->projection(), scene->style());
        }
        return;
    }
    painter->setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter->drawImage(scene->scale().rect, scene->bands());
    if (scene->showsAllocations()) {
        paintSelected(*painter, scene->scale(), scene->layers(), scene->style());
    }
}

void BandPlottable::drawLegendIcon(QCPPainter*, const QRectF&) const
{
    // The legend is a row of buttons above the plot.
}

MarksItem::MarksItem(QCustomPlot* plot, SceneFor scene)
    : QCPAbstractItem(plot)
    , m_scene(std::move(scene))
{
    setClipToAxisRect(false); // The circle of a peak at the edge stays whole.
    setSelectable(false);
}

double MarksItem::selectTest(const QPointF&, bool, QVariant*) const
{
    return -1;
}

void MarksItem::draw(QCPPainter* painter)
{
    TimelineScene* scene = m_scene(*painter);
    if (scene == nullptr) {
        return;
    }
    painter->setAntialiasing(true);
    if (scene->style().showsCached()) {
        paintReserved(*painter, scene->scale(), scene->projection(), scene->style());
    }
    if (!scene->ghost().empty()) {
        paintGhost(*painter, scene->scale(), scene->ghost(), scene->style());
    }
    paintMarks(*painter, scene->scale(), scene->projection(), scene->marks(), scene->style());
}

StripItem::StripItem(QCustomPlot* plot, const ViewState& state, SceneFor scene)
    : QCPAbstractItem(plot)
    , m_state(state)
    , m_scene(std::move(scene))
{
    setClipToAxisRect(false);
    setSelectable(false);
}

double StripItem::selectTest(const QPointF&, bool, QVariant*) const
{
    return -1;
}

int StripItem::heightFor(const ViewState& state)
{
    if (!state.hasDevice()) {
        return 0;
    }
    const label::DeviceLabels& labels = state.labels();
    return kGap + (labels.phases.empty() ? 0 : kPhaseHeight)
        + (labels.steps.empty() ? 0 : kStepHeight) + annotationHeight(state);
}

QRectF StripItem::annotationRect(const ViewState& state, const QRectF& plot)
{
    const int height = annotationHeight(state);
    return {plot.left(), plot.bottom() + heightFor(state) - height, plot.width(),
            static_cast<double>(height)};
}

void StripItem::draw(QCPPainter* painter)
{
    TimelineScene* scene = m_scene(*painter);
    if (scene == nullptr) {
        return;
    }
    painter->setAntialiasing(false);
    const QRectF plot = scene->scale().rect;
    painter->setFont(scene->style().font);
    painter->setPen(scene->style().colours.secondary);
    const double baseline = plot.bottom() + heightFor(m_state) + 3;
    const double line = QFontMetricsF(scene->style().font).height();
    painter->drawText(QRectF(0, baseline, plot.left() - 12, line),
                      Qt::AlignRight | Qt::AlignVCenter,
                      m_state.axis() == projection::Axis::event ? tr("event") : tr("time"));
    QRectF strip(plot.left(), plot.bottom() + kGap, plot.width(), kPhaseHeight);
    const label::DeviceLabels& labels = m_state.labels();
    if (!labels.phases.empty()) {
        paintPhases(*painter, strip, scene->scale(), labels, m_state.axisMap(), scene->style());
        strip.moveTop(strip.bottom());
    }
    if (!labels.steps.empty()) {
        strip.setHeight(kStepHeight);
        paintSteps(*painter, strip, scene->scale(), labels, m_state.axisMap(), scene->style());
    }
    if (annotationHeight(m_state) > 0) {
        paintAnnotations(*painter, annotationRect(m_state, plot), scene->scale(), m_state,
                         scene->style());
    }
}

CursorItem::CursorItem(QCustomPlot* plot, const ViewState& state, const Pointer& pointer,
                       SceneFor scene)
    : QCPAbstractItem(plot)
    , m_state(state)
    , m_pointer(pointer)
    , m_scene(std::move(scene))
{
    setClipToAxisRect(false);
    setSelectable(false);
}

double CursorItem::selectTest(const QPointF&, bool, QVariant*) const
{
    return -1;
}

void CursorItem::draw(QCPPainter* painter)
{
    TimelineScene* scene = m_scene(*painter);
    if (scene == nullptr) {
        return;
    }
    painter->setAntialiasing(true);
    drawSelection(*painter, *scene);
    if (m_pointer.drag_from && m_pointer.mouse) {
        const QRectF plot = scene->scale().rect;
        QColor fill = scene->style().colours.accent;
        fill.setAlphaF(0.25F);
        const double left = std::clamp(*m_pointer.drag_from, plot.left(), plot.right());
        const double right = std::clamp(m_pointer.mouse->x(), plot.left(), plot.right());
        painter->fillRect(
            QRectF(std::min(left, right), plot.top(), std::abs(right - left), plot.height()), fill);
    }
    drawLine(*painter, *scene, m_state.cursor(), false);
    if (m_state.hover()) {
        drawLine(*painter, *scene, *m_state.hover(), true);
        drawBubble(*painter, *scene);
    }
}

void CursorItem::drawSelection(QCPPainter& painter, const TimelineScene& scene)
{
    if (!m_state.selectedRange()) {
        return;
    }
    const QRectF plot = scene.scale().rect;
    const Interval<StateId>& range = *m_state.selectedRange();
    const double left = scene.scale().x(m_state.axisMap().toX(range.begin));
    const double right = std::max(left + 1, scene.scale().x(m_state.axisMap().toX(range.end)));
    if (right < plot.left() || left > plot.right()) {
        return;
    }
    const QColor accent = scene.style().colours.accent;
    QColor fill = accent;
    fill.setAlphaF(0.14F);
    const double shown_left = std::max(left, plot.left());
    const double shown_right = std::min(right, plot.right());
    painter.fillRect(QRectF(shown_left, plot.top(), shown_right - shown_left, plot.height()), fill);
    painter.setPen(QPen(accent, 1.2));
    for (const double x : {left, right}) {
        if (x >= plot.left() && x <= plot.right()) {
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        }
    }
}

void CursorItem::drawLine(QCPPainter& painter, const TimelineScene& scene, StateId state,
                          bool is_hover)
{
    const QRectF plot = scene.scale().rect;
    const double x = scene.scale().x(m_state.axisMap().toX(state));
    if (x < plot.left() - 0.5 || x > plot.right() + 0.5) {
        return;
    }
    const ThemeColours& colours = scene.style().colours;
    const double bottom = plot.bottom() + StripItem::heightFor(m_state);
    painter.setPen(
        QPen(colours.cursor, is_hover ? 1.0 : 1.4, is_hover ? Qt::DotLine : Qt::SolidLine));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, bottom));
    if (is_hover != m_state.hover().has_value()) {
        return; // One label: of the state whose values are shown.
    }
    const QString words = m_state.axis() == projection::Axis::event
        ? text(formatEventNumber(state.eventNumber()))
        : durationText(Duration(std::llround(m_state.axisMap().toX(state))));
    painter.setFont(scene.style().font);
    const QFontMetricsF metrics(scene.style().font);
    const double width = metrics.horizontalAdvance(words) + 12;
    const double left =
        std::clamp(x - width / 2, plot.left(), std::max(plot.left(), plot.right() - width));
    const QRectF tag(left, bottom + 2, width, metrics.height() + 2);
    painter.setPen(Qt::NoPen);
    // The labels of ticks that the tag touches give way to it as a whole.
    for (const AxisTick& tick :
         axisTicks(m_state.axis(), scene.scale().range, axisTickCount(plot.width()))) {
        const double half = metrics.horizontalAdvance(tick.label) / 2 + 3;
        const double centre = scene.scale().x(tick.at);
        if (centre + half > tag.left() && centre - half < tag.right()) {
            painter.fillRect(QRectF(centre - half, tag.top(), 2 * half, tag.height() + 2),
                             colours.card);
        }
    }
    painter.setBrush(colours.cursor);
    painter.drawRoundedRect(tag, 4, 4);
    painter.setPen(colours.card);
    painter.drawText(tag, Qt::AlignCenter, words);
}

void CursorItem::drawBubble(QCPPainter& painter, const TimelineScene& scene)
{
    if (!m_pointer.mouse || m_pointer.words.isEmpty()) {
        return;
    }
    const ThemeColours& colours = scene.style().colours;
    const QRectF plot = scene.scale().rect;
    const QFontMetricsF metrics(scene.style().font);
    const QStringList lines = m_pointer.words.split(u'\n');
    double width = 0;
    for (const QString& line : lines) {
        width = std::max(width, metrics.horizontalAdvance(line));
    }
    const QSizeF size(width + 14, metrics.height() * static_cast<double>(lines.size()) + 6);
    const bool fits_right = m_pointer.mouse->x() + 14 + size.width() <= plot.right();
    const double left =
        fits_right ? m_pointer.mouse->x() + 14 : m_pointer.mouse->x() - 14 - size.width();
    const double top = std::clamp(m_pointer.mouse->y() - size.height() - 8, plot.top(),
                                  std::max(plot.top(), plot.bottom() - size.height()));
    const QRectF bubble(QPointF(left, top), size);
    painter.setPen(QPen(colours.border, 1));
    painter.setBrush(colours.card);
    painter.drawRoundedRect(bubble, 4, 4);
    painter.setFont(scene.style().font);
    QRectF line(bubble.left() + 7, bubble.top() + 3, width + 1, metrics.height());
    for (const QString& words : lines) {
        painter.setPen(line.top() > bubble.top() + 3 ? colours.secondary : colours.text);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, words);
        line.translate(0, metrics.height());
    }
}

} // namespace tidemark::ui
