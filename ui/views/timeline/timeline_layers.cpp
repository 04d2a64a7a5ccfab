// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/timeline_layers.h"

#include "core/base/format.h"
#include "ui/models/text.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/timeline/annotation_painter.h"
#include "ui/views/timeline/cursor_overlay.h"
#include "ui/views/timeline/layers_painter.h"
#include "ui/views/timeline/step_strip.h"

#include <QtGui/QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace tidemark::ui {
namespace {

/// Where the name of the horizontal axis ends: left of the plot, and of the first label, which may
/// reach out of it.
double axisNameEnd(const TimelineScene& scene, const projection::AxisMap& axis)
{
    const TimelineScale& scale = scene.scale();
    const auto ticks = axisTicks(axis, scale.range, axisTickCount(scale.rect.width()));
    const double end = scale.rect.left() - 12;
    if (ticks.empty()) {
        return end;
    }
    const double width = QFontMetricsF(scene.style().font).horizontalAdvance(ticks.front().label);
    return std::min(end, scale.x(ticks.front().at) - width / 2 - 8);
}

} // namespace

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
        paintGrid(*painter, scene->scale(), scene->style());
        painter->setAntialiasing(true);
        if (scene->showsAllocations()) {
            paintLayers(*painter, scene->scale(), scene->projection(), scene->layers(),
                        scene->style(), scene->selection());
            paintSelected(*painter, scene->scale(), scene->layers(), scene->style());
        } else {
            paintBands(*painter, scene->scale(), scene->projection(), scene->style());
            paintUnselected(*painter, scene->scale(), scene->projection(), scene->selected(),
                            scene->style());
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

MarksItem::MarksItem(QCustomPlot* plot, const ViewState& state, SceneFor scene)
    : QCPAbstractItem(plot)
    , m_state(state)
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
    if (!scene->selected().empty()) {
        painter->setAntialiasing(false);
        paintLifetimes(*painter, scene->scale(), scene->selected(), m_state.lifetimeOfSelected(),
                       scene->style());
    }
    painter->setAntialiasing(true);
    if (scene->style().showsCached()) {
        paintReserved(*painter, scene->scale(), scene->projection(), scene->style());
    }
    if (!scene->simulated().empty()) {
        paintSimulated(*painter, scene->scale(), scene->simulated(),
                       scene->projection().columns.size(), scene->style());
    }
    if (!scene->ghost().empty()) {
        TimelineStyle style = scene->style();
        style.colours.text = scene->ghostColour();
        paintGhost(*painter, scene->scale(), scene->ghost(), style);
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

int StripItem::heightFor(const ViewState& state, const TimelineStyle& style)
{
    if (!state.hasDevice()) {
        return 0;
    }
    const label::DeviceLabels& labels = state.labels();
    const int phases = kGap + (labels.phases.empty() ? 0 : kPhaseHeight);
    return style.only_phases
        ? phases
        : phases + (labels.stepsBegun().empty() ? 0 : kStepHeight) + annotationHeight(state);
}

QRectF StripItem::annotationRect(const ViewState& state, const QRectF& plot,
                                 const TimelineStyle& style)
{
    const int height = style.only_phases ? 0 : annotationHeight(state);
    return {plot.left(), plot.bottom() + heightFor(state, style) - height, plot.width(),
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
    const double baseline = plot.bottom() + heightFor(m_state, scene->style()) + 3;
    const QFontMetricsF metrics(scene->style().font);
    const double line = metrics.height();
    const QString name = m_state.axis() == projection::Axis::time ? tr("time") : tr("event");
    const double name_end = axisNameEnd(*scene, m_state.axisMap());
    if (parentPlot()->xAxis->tickLabels() && metrics.horizontalAdvance(name) <= name_end) {
        painter->drawText(QRectF(0, baseline, name_end, line), Qt::AlignRight | Qt::AlignVCenter,
                          name);
    }
    QRectF strip(plot.left(), plot.bottom() + kGap, plot.width(), kPhaseHeight);
    const label::DeviceLabels& labels = m_state.labels();
    if (!labels.phases.empty()) {
        paintPhases(*painter, strip, scene->scale(), labels, m_state.axisMap(), scene->style());
        strip.moveTop(strip.bottom());
    }
    if (scene->style().only_phases) {
        return;
    }
    if (!labels.stepsBegun().empty()) {
        strip.setHeight(kStepHeight);
        paintSteps(*painter, strip, scene->scale(), labels, m_state.axisMap(), scene->style());
    }
    if (annotationHeight(m_state) > 0) {
        paintAnnotations(*painter, annotationRect(m_state, plot, scene->style()), scene->scale(),
                         m_state, scene->style());
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
    const bool is_export = painter->modes().testFlag(QCPPainter::pmVectorized)
        || painter->modes().testFlag(QCPPainter::pmNoCaching);
    if (!is_export) {
        return;
    }
    if (TimelineScene* scene = m_scene(*painter)) {
        paintCursor(*painter, *scene, m_state, m_pointer);
    }
}

} // namespace tidemark::ui
