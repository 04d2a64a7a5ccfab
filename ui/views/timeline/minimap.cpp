// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/minimap.h"

#include "ui/models/selection.h"
#include "ui/views/look/theme.h"
#include "ui/views/timeline/timeline_painter.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtGui/QPainterPath>

#include <algorithm>
#include <cmath>

namespace tidemark::ui {
namespace {

constexpr int kMinimapHeight = 30;
constexpr double kEdgeReach = 5; ///< Pixels around an edge of the brush that take hold of it.

} // namespace

Minimap::Minimap(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
{
    setObjectName(QStringLiteral("minimap"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
    setToolTip(tr("Whole trace; drag the frame to pan or zoom"));
    const auto refresh = [this] {
        project();
        update();
    };
    connect(&m_state, &ViewState::deviceChanged, this, [this, refresh] {
        m_projection = {}; // Another device may be as long and as wide.
        m_drag.reset();
        refresh();
    });
    connect(&m_state, &ViewState::axisChanged, this, [this, refresh] {
        m_drag.reset();
        refresh();
    });
    connect(&m_state, &ViewState::rangeChanged, this, refresh);
    connect(&m_state, &ViewState::selectionChanged, this, [this] {
        projectSelection();
        update();
    });
}

QSize Minimap::sizeHint() const
{
    return {200, kMinimapHeight};
}

QSize Minimap::minimumSizeHint() const
{
    return {60, kMinimapHeight};
}

void Minimap::setInsets(int left, int right)
{
    if (left != m_left || right != m_right) {
        m_left = left;
        m_right = right;
        project();
        update();
    }
}

QRectF Minimap::strip() const
{
    return QRectF(m_left, 2, std::max(1, width() - m_left - m_right), height() - 5);
}

double Minimap::coordinateAt(double x) const
{
    const Interval<double> extent = m_state.extent();
    return extent.begin + (x - strip().left()) / strip().width() * (extent.end - extent.begin);
}

QRectF Minimap::brush() const
{
    if (!m_state.hasDevice()) {
        return {};
    }
    const TimelineScale scale{strip(), m_state.extent(), 1};
    const double left = scale.x(m_state.range().begin);
    const double right = scale.x(m_state.range().end);
    return {left, strip().top(), std::max(3.0, right - left), strip().height()};
}

void Minimap::project()
{
    const Interval<double> extent = m_state.hasDevice() ? m_state.extent() : Interval<double>{};
    const auto columns = static_cast<std::size_t>(strip().width());
    if (!m_state.hasDevice()) {
        m_projection = {};
        m_selected.clear();
    } else if (m_projection.range != extent || m_projection.columns.size() != columns) {
        m_projection = projection::projectTimeline(m_state.curves(), m_state.axisMap(), extent,
                                                   static_cast<int>(columns));
        projectSelection();
    }
}

void Minimap::projectSelection()
{
    const std::shared_ptr<const Selection> selection = m_state.selector().selection();
    m_selected = m_state.hasDevice() && selection
        ? projection::projectSelected(selection->bytes, m_state.axisMap(), m_projection)
        : std::vector<projection::SelectedColumn>();
}

void Minimap::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    project();
}

void Minimap::paintEvent(QPaintEvent* /*event*/)
{
    if (!m_state.hasDevice() || m_projection.columns.empty()) {
        return;
    }
    const ThemeColours& colours = currentColours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area = strip();
    const std::int64_t largest = std::max<std::int64_t>(1, projection::heights(m_projection).total);
    const TimelineScale scale{area, m_projection.range, static_cast<double>(largest) * 1.1};
    painter.fillRect(area, colours.window);
    QColor body = colours.accent;
    body.setAlphaF(0.55F);
    const std::size_t count = m_projection.columns.size();
    QPainterPath path(QPointF(area.left(), area.bottom()));
    for (std::size_t i = 0; i < count; ++i) {
        const double y = scale.y(static_cast<double>(m_projection.columns[i].total));
        path.lineTo(scale.columnLeft(i, count), y);
        path.lineTo(scale.columnLeft(i + 1, count), y);
    }
    path.lineTo(area.bottomRight());
    painter.fillPath(path, body);

    constexpr double kMark = 4;
    const std::size_t marks = m_selected.size();
    for (std::size_t i = 0; i < marks; ++i) {
        if (m_selected[i].largest == 0) {
            continue;
        }
        const double left = scale.columnLeft(i, marks);
        while (i + 1 < marks && m_selected[i + 1].largest > 0) {
            ++i;
        }
        painter.fillRect(
            QRectF(left, area.bottom() - kMark, scale.columnLeft(i + 1, marks) - left, kMark),
            colours.text);
    }

    const QRectF frame = brush();
    QColor veil = colours.card;
    veil.setAlphaF(0.65F);
    painter.fillRect(QRectF(area.topLeft(), QPointF(frame.left(), area.bottom())), veil);
    painter.fillRect(QRectF(QPointF(frame.right(), area.top()), area.bottomRight()), veil);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colours.border, 1));
    painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5));
    painter.setPen(QPen(colours.secondary, 1.4));
    painter.drawRect(frame.adjusted(0.7, 0.7, -0.7, -0.7));
    if (const QRectF life = chosenLifetime(); !life.isEmpty()) {
        paintFloorBar(painter, life, colours);
    }
}

QRectF Minimap::chosenLifetime() const
{
    const Interval<double> life = m_state.lifetimeOfSelected();
    if (life.isEmpty()) {
        return {};
    }
    constexpr double kLeast = 2;
    constexpr double kHeight = 7;
    const QRectF area = strip();
    const TimelineScale scale{area, m_state.extent(), 1};
    const double left = std::min(scale.x(life.begin), area.right() - kLeast);
    const double width = std::max(kLeast, scale.x(life.end) - left);
    return {left, area.bottom() - kHeight, width, kHeight};
}

std::optional<Minimap::Part> Minimap::partAt(double x) const
{
    const QRectF frame = brush();
    const bool is_narrow = frame.width() < 3 * kEdgeReach;
    if (!is_narrow && std::abs(x - frame.left()) <= kEdgeReach) {
        return Part::left_edge;
    }
    if (!is_narrow && std::abs(x - frame.right()) <= kEdgeReach) {
        return Part::right_edge;
    }
    if (x >= frame.left() - kEdgeReach && x <= frame.right() + kEdgeReach) {
        return Part::body;
    }
    return std::nullopt;
}

void Minimap::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_state.hasDevice()) {
        return;
    }
    const double at = coordinateAt(event->position().x());
    if (!partAt(event->position().x())) {
        const double half = (m_state.range().end - m_state.range().begin) / 2;
        m_state.setRange({at - half, at + half});
    }
    m_drag = Drag{partAt(event->position().x()).value_or(Part::body), at, m_state.range()};
}

void Minimap::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_state.hasDevice()) {
        return;
    }
    if (!m_drag) {
        const auto part = partAt(event->position().x());
        setCursor(!part                     ? Qt::PointingHandCursor
                      : *part == Part::body ? Qt::OpenHandCursor
                                            : Qt::SizeHorCursor);
        return;
    }
    const double at = coordinateAt(event->position().x());
    Interval<double> range = m_drag->range;
    switch (m_drag->part) {
    case Part::body:
        range = {range.begin + at - m_drag->at, range.end + at - m_drag->at};
        break;
    case Part::left_edge:
        range.begin = std::min(at, range.end);
        break;
    case Part::right_edge:
        range.end = std::max(at, range.begin);
        break;
    }
    m_state.setRange(range);
}

void Minimap::mouseReleaseEvent(QMouseEvent* /*event*/)
{
    m_drag.reset();
}

void Minimap::mouseDoubleClickEvent(QMouseEvent* /*event*/)
{
    if (m_state.hasDevice()) {
        m_state.fit();
    }
}

} // namespace tidemark::ui
