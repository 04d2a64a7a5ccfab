// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/compare/delta_lane.h"

#include "ui/models/one_unit.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtGui/QWheelEvent>

#include <algorithm>
#include <cmath>

namespace tidemark::ui {
namespace {

constexpr int kEdge = 4; ///< Above and below the bands.
constexpr int kLanePhaseHeight = 15;

} // namespace

DeltaLane::DeltaLane(ViewState& base, ViewState& against, QWidget* parent)
    : QWidget(parent)
    , m_base(base)
    , m_against(against)
{
    setObjectName(QStringLiteral("deltaLane"));
    setMouseTracking(true);
    setAccessibleName(tr("Difference of both runs, stacked by bucket"));
    const auto forget = [this] {
        m_whole.reset();
        invalidate();
    };
    const auto end_drag = [this] {
        m_press.reset();
        unsetCursor();
    };
    for (ViewState* state : {&m_base, &m_against}) {
        connect(state, &ViewState::deviceChanged, this, forget);
        connect(state, &ViewState::deviceChanged, this, end_drag);
        connect(state, &ViewState::analysisChanged, this, forget);
        connect(state, &ViewState::axisChanged, this, forget);
        connect(state, &ViewState::axisChanged, this, end_drag);
        connect(state, &ViewState::bucketsChanged, this, forget);
        connect(state, &ViewState::rangeChanged, this, &DeltaLane::invalidate);
        connect(state, &ViewState::cursorChanged, this, qOverload<>(&QWidget::update));
    }
}

bool DeltaLane::hasRuns() const
{
    return m_base.hasDevice() && m_against.hasDevice();
}

void DeltaLane::setInsets(int left, int right)
{
    if (left != m_left || right != m_right) {
        m_left = left;
        m_right = right;
        invalidate();
    }
}

void DeltaLane::setShowsPhases(bool shows)
{
    if (shows != m_shows_phases) {
        m_shows_phases = shows;
        invalidate();
    }
}

QRectF DeltaLane::bandRect() const
{
    const int below = m_shows_phases ? kLanePhaseHeight + kEdge : 0;
    return QRectF(m_left, kEdge, std::max(1, width() - m_left - m_right),
                  std::max(1, height() - 2 * kEdge - below));
}

QSize DeltaLane::minimumSizeHint() const
{
    return {120, 40};
}

void DeltaLane::invalidate()
{
    m_is_current = false;
    update();
}

std::vector<projection::DeltaColumn> DeltaLane::project(Interval<double> range, int columns) const
{
    return projection::deltaColumns(
        projection::projectTimeline(m_base.curves(), m_base.axisMap(), range, columns),
        projection::projectTimeline(m_against.curves(), m_against.axisMap(), range, columns));
}

projection::DeltaHeights DeltaLane::naturalHeights() const
{
    const Interval<double> range = m_base.fitsHeight() ? m_base.range() : m_base.extent();
    return projection::heights(project(range, kOverviewColumns), m_base.visibleBuckets());
}

void DeltaLane::prepare()
{
    if (m_is_current) {
        return;
    }
    m_is_current = true;
    QFont labels = font();
    labels.setPixelSize(std::max(10, QFontInfo(font()).pixelSize() - 1));
    m_style.colours = currentColours();
    m_style.font = labels;
    m_style.visible = m_base.visibleBuckets();
    const QRectF rect = bandRect();
    const int count =
        std::max(1, static_cast<int>(std::lround(rect.width() * devicePixelRatioF())));
    m_columns = project(m_base.range(), count);
    if (!m_whole || m_base.fitsHeight()) {
        m_whole = naturalHeights();
    }
    m_scale = deltaScale(rect, m_base.range(), *m_whole);
}

double DeltaLane::coordinateAt(double x) const
{
    const QRectF rect = bandRect();
    const Interval<double> range = m_base.range();
    return range.begin + (x - rect.left()) / rect.width() * (range.end - range.begin);
}

void DeltaLane::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.fillRect(rect(), currentColours().card);
    if (!hasRuns()) {
        return;
    }
    prepare();
    paintDelta(painter, m_scale, m_columns, m_style);
    painter.setFont(m_style.font);
    paintTicks(painter);
    const bool any = std::ranges::any_of(
        m_columns, [](const projection::DeltaColumn& column) { return column.in_both; });
    if (!any) {
        painter.setPen(m_style.colours.secondary);
        painter.drawText(m_scale.rect, Qt::AlignCenter,
                         tr("Only one run here; nothing to compare."));
    }
    if (m_shows_phases) {
        paintBasePhases(painter);
    }
    paintCursors(painter);
    paintBubble(painter);
}

void DeltaLane::paintBasePhases(QPainter& painter) const
{
    const QRectF& bands = m_scale.rect;
    const TimelineScale scale{bands, m_scale.range, 1};
    const QRectF strip(bands.left(), bands.bottom() + kEdge, bands.width(), kLanePhaseHeight);
    paintPhases(painter, strip, scale, m_base.labels(), m_base.axisMap(), m_style);
}

void DeltaLane::paintTicks(QPainter& painter) const
{
    const QFontMetricsF metrics(m_style.font);
    painter.setPen(m_style.colours.text);
    double before = -metrics.height();
    std::vector<AxisTick> ticks = deltaTicks(m_scale, byteTickCount(m_scale.rect.height()));
    std::ranges::sort(ticks, std::ranges::greater{}, &AxisTick::at);
    for (const AxisTick& tick : ticks) {
        const double top = std::clamp(m_scale.y(tick.at) - metrics.height() / 2, 0.0,
                                      std::max(0.0, height() - metrics.height()));
        if (top - before < metrics.height() && tick.at != 0) {
            continue;
        }
        before = top;
        painter.drawText(QRectF(0, top, m_left - 8, metrics.height()),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
}

void DeltaLane::paintCursors(QPainter& painter) const
{
    const auto line = [&](StateId state, Qt::PenStyle style) {
        const TimelineScale scale{m_scale.rect, m_scale.range, 1};
        const double x = scale.x(m_base.axisMap().toX(state));
        if (x >= m_scale.rect.left() && x <= m_scale.rect.right()) {
            painter.setPen(QPen(m_style.colours.cursor, 1.2, style));
            painter.drawLine(QPointF(x, m_scale.rect.top()), QPointF(x, m_scale.rect.bottom()));
        }
    };
    line(m_base.cursor(), Qt::SolidLine);
    if (m_base.hover()) {
        line(*m_base.hover(), Qt::DotLine);
    }
}

QString DeltaLane::wordsAt(const QPointF& position) const
{
    const QRectF rect = m_scale.rect;
    if (m_columns.empty() || !rect.contains(position)) {
        return {};
    }
    const double share = (position.x() - rect.left()) / rect.width();
    const auto count = static_cast<double>(m_columns.size());
    const projection::DeltaColumn& column =
        m_columns[static_cast<std::size_t>(std::min(share * count, count - 1))];
    const auto bucket = projection::bandAt(
        column, static_cast<std::int64_t>(m_scale.bytesAt(position.y())), m_style.visible);
    return bucket ? text(label::bucketName(*bucket)) % u' '
            % signedBytesText({column.buckets[label::indexOf(*bucket)]})
                  : QString();
}

void DeltaLane::paintBubble(QPainter& painter) const
{
    const QString words = m_mouse ? wordsAt(*m_mouse) : QString();
    if (words.isEmpty()) {
        return;
    }
    const QFontMetricsF metrics(m_style.font);
    const QSizeF size(metrics.horizontalAdvance(words) + 14, metrics.height() + 6);
    const bool fits_right = m_mouse->x() + 14 + size.width() <= m_scale.rect.right();
    const double left = fits_right ? m_mouse->x() + 14 : m_mouse->x() - 14 - size.width();
    const double top =
        std::clamp(m_mouse->y() - size.height() - 8, 0.0, std::max(0.0, height() - size.height()));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_style.colours.border, 1));
    painter.setBrush(m_style.colours.card);
    painter.drawRoundedRect(QRectF(QPointF(left, top), size), 4, 4);
    painter.setPen(m_style.colours.text);
    painter.drawText(QRectF(QPointF(left, top), size), Qt::AlignCenter, words);
}

void DeltaLane::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    invalidate();
}

void DeltaLane::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        invalidate();
    }
}

void DeltaLane::mousePressEvent(QMouseEvent* event)
{
    event->accept();
    if (event->button() == Qt::LeftButton && hasRuns()) {
        m_press = Press{event->position().x(), m_base.range()};
    }
}

void DeltaLane::mouseMoveEvent(QMouseEvent* event)
{
    event->accept();
    if (!hasRuns()) {
        return;
    }
    m_mouse = event->position();
    if (!m_press) {
        Q_EMIT hovered(coordinateAt(event->position().x()));
        update();
        return;
    }
    const double distance = event->position().x() - m_press->at;
    m_press->has_moved = m_press->has_moved || std::abs(distance) >= kDragThreshold;
    if (m_press->has_moved) {
        setCursor(Qt::ClosedHandCursor);
        const double shift =
            -distance / bandRect().width() * (m_press->range.end - m_press->range.begin);
        m_base.setRange({m_press->range.begin + shift, m_press->range.end + shift});
    }
}

void DeltaLane::mouseReleaseEvent(QMouseEvent* event)
{
    event->accept();
    if (m_press && !m_press->has_moved && event->button() == Qt::LeftButton) {
        Q_EMIT clicked(coordinateAt(m_press->at));
    }
    m_press.reset();
    unsetCursor();
}

void DeltaLane::mouseDoubleClickEvent(QMouseEvent* event)
{
    event->accept();
    m_press.reset();
    if (hasRuns()) {
        m_base.fit();
    }
}

void DeltaLane::wheelEvent(QWheelEvent* event)
{
    event->accept();
    if (!hasRuns()) {
        return;
    }
    const QPoint angle = event->angleDelta();
    const Interval<double> range = m_base.range();
    if (std::abs(angle.x()) > std::abs(angle.y())
        || event->modifiers().testFlag(Qt::ShiftModifier)) {
        const double turn = angle.x() != 0 ? angle.x() : angle.y();
        m_base.pan(-turn / 1200.0 * (range.end - range.begin));
        return;
    }
    m_base.zoomAround(std::clamp(coordinateAt(event->position().x()), range.begin, range.end),
                      std::pow(kWheelZoom, -angle.y()));
}

void DeltaLane::leaveEvent(QEvent* /*event*/)
{
    m_mouse.reset();
    Q_EMIT left();
    update();
}

} // namespace tidemark::ui
