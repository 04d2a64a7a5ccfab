// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/dialogs/plan_curve.h"

#include "ui/models/language.h"
#include "ui/models/text.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/swatch.h"
#include "ui/views/look/theme.h"

#include <QtGui/QPainter>

#include <algorithm>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kPlanLineGap = 6;
constexpr double kFarAbove = 3; ///< Times the peak: there a line would flatten the curve.

} // namespace

PlanCurve::PlanCurve(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(QStringLiteral("planCurve"));
    setAccessibleName(tr("Requested bytes over the planned steps"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
}

QSize PlanCurve::sizeHint() const
{
    return {400, 220};
}

QSize PlanCurve::minimumSizeHint() const
{
    return {160, 110};
}

void PlanCurve::setCurve(std::vector<walk::PlannedPoint> points, std::optional<Bytes> capacity)
{
    m_points = std::move(points);
    m_capacity = capacity;
    setVisible(!m_points.empty());
    update();
}

std::vector<label::Phase> PlanCurve::legend() const
{
    std::vector<label::Phase> phases;
    for (const walk::PlannedPoint& point : m_points) {
        if (std::ranges::find(phases, point.phase) == phases.end()) {
            phases.push_back(point.phase);
        }
    }
    return phases;
}

const walk::PlannedPoint& PlanCurve::peak() const
{
    return *std::ranges::max_element(
        m_points, {}, [](const walk::PlannedPoint& point) { return point.bytes.value; });
}

double PlanCurve::topBytes() const
{
    constexpr double kRoom = 1.05;
    const auto most = std::max(1.0, static_cast<double>(peak().bytes.value));
    const double capacity = m_capacity ? static_cast<double>(m_capacity->value) : 0;
    return kRoom * (capacity < kFarAbove * most ? std::max(most, capacity) : most);
}

int PlanCurve::labelsWidth() const
{
    return QFontMetrics(smallFont(*this)).horizontalAdvance(QStringLiteral("000 MiB"))
        + kPlanLineGap;
}

/// Beside the labels of bytes, below the words, above steps and legend.
PlanCurve::Scale PlanCurve::scale() const
{
    const QFontMetrics metrics(smallFont(*this));
    const int line = metrics.height() + kPlanLineGap;
    const std::vector<QRectF> legend = legendPlaces();
    const double below = legend.empty() ? line : height() - legend.front().top() + kPlanLineGap;
    return {QRectF(rect()).adjusted(labelsWidth(), line, -1, -line - below), topBytes()};
}

std::optional<double> PlanCurve::lineOfCapacity() const
{
    if (m_points.empty() || !m_capacity) {
        return std::nullopt;
    }
    const Scale at = scale();
    const auto capacity = static_cast<double>(m_capacity->value);
    return capacity > at.top ? std::nullopt : std::optional(at.yOf(capacity));
}

void PlanCurve::paintAxes(QPainter& painter, const Scale& at) const
{
    const ThemeColours& colours = currentColours();
    const QRectF& room = at.room;
    const int line = painter.fontMetrics().height();
    for (const AxisTick& tick : byteTicks(at.top, byteTickCount(room.height()))) {
        const double y = at.yOf(tick.at);
        painter.setPen(colours.grid);
        painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y));
        painter.setPen(colours.text);
        painter.drawText(QRectF(0, y - line / 2.0, room.left() - kPlanLineGap, line),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    // A step begins where a forward follows its setup, or the optimizer of the one before.
    const double step = room.width() / static_cast<double>(m_points.size());
    int number = 0;
    bool is_between = true;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const label::Phase phase = m_points[i].phase;
        if (phase == label::Phase::forward && is_between) {
            const double x = room.left() + step * static_cast<double>(i);
            painter.setPen(colours.secondary);
            painter.drawLine(QPointF(x, room.bottom()), QPointF(x, room.bottom() + line));
            painter.drawText(QPointF(x + 4, room.bottom() + line - 2), tr("step %1").arg(++number));
        }
        is_between = (is_between || phase == label::Phase::optimizer)
            && phase != label::Phase::forward && phase != label::Phase::backward;
    }
}

/// Where each phase of the legend stands, in as many lines as the width asks for; the last one at
/// the bottom.
std::vector<QRectF> PlanCurve::legendPlaces() const
{
    const QFontMetrics metrics(smallFont(*this));
    const double first = labelsWidth();
    std::vector<QRectF> places;
    double left = first;
    double top = 0;
    for (const label::Phase phase : legend()) {
        const QString words = inSentence(text(label::phaseName(phase)));
        const double wide = kSwatchSize + 4 + metrics.horizontalAdvance(words);
        if (left > first && left + wide > width()) {
            left = first;
            top += metrics.height();
        }
        places.emplace_back(left, top, wide, metrics.height());
        left += wide + 2 * kPlanLineGap;
    }
    for (QRectF& place : places) {
        place.translate(0, height() - metrics.height() - top);
    }
    return places;
}

void PlanCurve::paintLegend(QPainter& painter) const
{
    const std::vector<QRectF> places = legendPlaces();
    const std::vector<label::Phase> phases = legend();
    for (std::size_t i = 0; i < places.size(); ++i) {
        const label::Phase phase = phases[i];
        const QRectF& place = places[i];
        paintSwatch(
            painter,
            QRectF(place.left(), place.center().y() - kSwatchSize / 2.0, kSwatchSize, kSwatchSize),
            phaseColour(phase));
        painter.setPen(currentColours().text);
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter,
                         inSentence(text(label::phaseName(phase))));
    }
}

void PlanCurve::paintEvent(QPaintEvent* /*event*/)
{
    if (m_points.empty()) {
        return;
    }
    QPainter painter(this);
    painter.setFont(smallFont(*this));
    const Scale at = scale();
    const QRectF& room = at.room;
    paintAxes(painter, at);
    const double step = room.width() / static_cast<double>(m_points.size());
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const double left = room.left() + step * static_cast<double>(i);
        painter.fillRect(QRectF(QPointF(left, at.yOf(static_cast<double>(m_points[i].bytes.value))),
                                QPointF(left + step + 0.5, room.bottom())),
                         phaseColour(m_points[i].phase));
    }
    paintLegend(painter);
    const ThemeColours& colours = currentColours();
    if (const auto y = lineOfCapacity()) {
        painter.setPen(QPen(colours.danger, 1.4));
        painter.drawLine(QPointF(room.left(), *y), QPointF(room.right(), *y));
    }
    painter.setPen(colours.text);
    const QRectF words(0, 0, width(), painter.fontMetrics().height());
    const QString where = inSentence(text(label::phaseName(peak().phase)));
    painter.drawText(words, Qt::AlignLeft,
                     tr("planned: peak %1, %2").arg(bytesText(peak().bytes), where));
    if (m_capacity) {
        painter.setPen(colours.danger_text);
        painter.drawText(words, Qt::AlignRight, tr("GPU: %1").arg(bytesText(*m_capacity)));
    }
}

} // namespace tidemark::ui
