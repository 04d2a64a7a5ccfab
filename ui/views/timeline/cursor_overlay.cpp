// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/cursor_overlay.h"

#include "core/base/format.h"
#include "ui/models/text.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/timeline/timeline_words.h"

#include <QtCore/QEvent>
#include <QtGui/QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace tidemark::ui {
namespace {

/// The words at the mouse; empty without.
QRectF bubbleRect(const TimelineScene& scene, const Pointer& pointer)
{
    if (!pointer.mouse || pointer.words.isEmpty()) {
        return {};
    }
    const QRectF plot = scene.scale().rect;
    const QFontMetricsF metrics(scene.style().font);
    const QStringList lines = pointer.words.split(u'\n');
    double width = 0;
    for (const QString& line : lines) {
        width = std::max(width, metrics.horizontalAdvance(line));
    }
    const QSizeF size(width + 14, metrics.height() * static_cast<double>(lines.size()) + 6);
    const bool fits_right = pointer.mouse->x() + 14 + size.width() <= plot.right();
    const double left =
        fits_right ? pointer.mouse->x() + 14 : pointer.mouse->x() - 14 - size.width();
    const double top = std::clamp(pointer.mouse->y() - size.height() - 8, plot.top(),
                                  std::max(plot.top(), plot.bottom() - size.height()));
    return {QPointF(left, top), size};
}

/// The range that is being selected; empty without.
QRectF draggedRange(const TimelineScene& scene, const Pointer& pointer)
{
    if (!pointer.drag_from || !pointer.mouse) {
        return {};
    }
    const QRectF plot = scene.scale().rect;
    const double right = std::max(plot.left(), plot.right());
    const double from = std::clamp(*pointer.drag_from, plot.left(), right);
    const double to = std::clamp(pointer.mouse->x(), plot.left(), right);
    return {std::min(from, to), plot.top(), std::abs(to - from), plot.height()};
}

/// The box to zoom to; empty without.
QRectF draggedBox(const TimelineScene& scene, const Pointer& pointer)
{
    return pointer.box_from && pointer.mouse
        ? QRectF(*pointer.box_from, *pointer.mouse).normalized() & scene.scale().rect
        : QRectF();
}

/// Paints what follows the mouse; lives for one call of `paintCursor`.
class CursorPainter {
public:
    CursorPainter(QPainter& painter, const TimelineScene& scene, const ViewState& state,
                  const Pointer& pointer)
        : m_painter(painter)
        , m_scene(scene)
        , m_state(state)
        , m_pointer(pointer)
    {
    }
    void drawSelection();
    void drawDraggedRange();
    void drawLine(StateId state, bool is_hover);
    void drawBubble();

private:
    QPainter& m_painter;
    const TimelineScene& m_scene;
    const ViewState& m_state;
    const Pointer& m_pointer;
};

void CursorPainter::drawDraggedRange()
{
    if (const QRectF box = draggedBox(m_scene, m_pointer); !box.isNull()) {
        m_painter.setPen(QPen(m_scene.style().colours.accent, 1.2, Qt::DashLine));
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRect(box);
    }
    if (const QRectF range = draggedRange(m_scene, m_pointer); !range.isNull()) {
        QColor fill = m_scene.style().colours.accent;
        fill.setAlphaF(0.25F);
        m_painter.fillRect(range, fill);
    }
}

void CursorPainter::drawSelection()
{
    if (!m_state.selectedRange()) {
        return;
    }
    const QRectF plot = m_scene.scale().rect;
    const Interval<StateId>& range = *m_state.selectedRange();
    const double left = m_scene.scale().x(m_state.axisMap().toX(range.begin));
    const double right = std::max(left + 1, m_scene.scale().x(m_state.axisMap().toX(range.end)));
    if (right < plot.left() || left > plot.right()) {
        return;
    }
    const QColor accent = m_scene.style().colours.accent;
    QColor fill = accent;
    fill.setAlphaF(0.14F);
    const double shown_left = std::max(left, plot.left());
    const double shown_right = std::min(right, plot.right());
    m_painter.fillRect(QRectF(shown_left, plot.top(), shown_right - shown_left, plot.height()),
                       fill);
    m_painter.setPen(QPen(accent, 1.2));
    for (const double x : {left, right}) {
        if (x >= plot.left() && x <= plot.right()) {
            m_painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        }
    }
}

void CursorPainter::drawLine(StateId state, bool is_hover)
{
    const QRectF plot = m_scene.scale().rect;
    const double x = m_scene.scale().x(m_state.axisMap().toX(state));
    if (x < plot.left() - 0.5 || x > plot.right() + 0.5) {
        return;
    }
    const ThemeColours& colours = m_scene.style().colours;
    const double bottom = plot.bottom() + StripItem::heightFor(m_state, m_scene.style());
    m_painter.setPen(
        QPen(colours.cursor, is_hover ? 1.0 : 1.4, is_hover ? Qt::DotLine : Qt::SolidLine));
    m_painter.drawLine(QPointF(x, plot.top()), QPointF(x, bottom));
    if (!m_scene.style().axis_labels || is_hover != m_state.hover().has_value()) {
        return; // One label: of the state whose values are shown.
    }
    const QString words = m_state.axis() == projection::Axis::time
        ? durationText(Duration(std::llround(m_state.axisMap().toX(state))))
        : m_state.traceDevice().events.count() == 0 ? TimelineWords::tr("dump")
                                                    : text(formatEventNumber(state.eventNumber()));
    m_painter.setFont(m_scene.style().font);
    const QFontMetricsF metrics(m_scene.style().font);
    const double width = metrics.horizontalAdvance(words) + 12;
    const double left =
        std::clamp(x - width / 2, plot.left(), std::max(plot.left(), plot.right() - width));
    const QRectF tag(left, bottom + 2, width, metrics.height() + 2);
    m_painter.setPen(Qt::NoPen);
    // The labels of ticks that the tag touches give way to it as a whole.
    for (const AxisTick& tick :
         axisTicks(m_state.axisMap(), m_scene.scale().range, axisTickCount(plot.width()))) {
        const double half = metrics.horizontalAdvance(tick.label) / 2 + 3;
        const double centre = m_scene.scale().x(tick.at);
        if (centre + half > tag.left() && centre - half < tag.right()) {
            m_painter.fillRect(QRectF(centre - half, tag.top(), 2 * half, tag.height() + 2),
                               colours.card);
        }
    }
    m_painter.setBrush(colours.cursor);
    m_painter.drawRoundedRect(tag, 4, 4);
    m_painter.setPen(colours.card);
    m_painter.drawText(tag, Qt::AlignCenter, words);
}

void CursorPainter::drawBubble()
{
    const QRectF bubble = bubbleRect(m_scene, m_pointer);
    if (bubble.isNull()) {
        return;
    }
    const ThemeColours& colours = m_scene.style().colours;
    const QFontMetricsF metrics(m_scene.style().font);
    m_painter.setPen(QPen(colours.border, 1));
    m_painter.setBrush(colours.card);
    m_painter.drawRoundedRect(bubble, 4, 4);
    m_painter.setFont(m_scene.style().font);
    QRectF line(bubble.left() + 7, bubble.top() + 3, bubble.width() - 13, metrics.height());
    for (const QString& words : m_pointer.words.split(u'\n')) {
        m_painter.setPen(line.top() > bubble.top() + 3 ? colours.secondary : colours.text);
        m_painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, words);
        line.translate(0, metrics.height());
    }
}

} // namespace

void paintCursor(QPainter& painter, const TimelineScene& scene, const ViewState& state,
                 const Pointer& pointer)
{
    CursorPainter cursor(painter, scene, state, pointer);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    cursor.drawSelection();
    cursor.drawDraggedRange();
    cursor.drawLine(state.cursor(), false);
    if (state.hover()) {
        cursor.drawLine(*state.hover(), true);
        cursor.drawBubble();
    }
    painter.restore();
}

QRegion cursorRegion(const TimelineScene& scene, const ViewState& state, const Pointer& pointer,
                     int width)
{
    QRegion region;
    if (!state.hasDevice() || scene.projection().columns.empty()) {
        return region;
    }
    constexpr double kBeside = 2; // Of antialiasing, and half of a pen.
    const auto add = [&region](const QRectF& rect) {
        if (!rect.isNull()) {
            region += rect.adjusted(-kBeside, -kBeside, kBeside, kBeside).toAlignedRect();
        }
    };
    const QRectF plot = scene.scale().rect;
    const double bottom = plot.bottom() + StripItem::heightFor(state, scene.style());
    for (const std::optional<StateId> moment : {std::optional(state.cursor()), state.hover()}) {
        const double x = moment ? scene.scale().x(state.axisMap().toX(*moment)) : -1;
        if (x >= plot.left() - kBeside && x <= plot.right() + kBeside) {
            add({x, plot.top(), 1, bottom - plot.top()});
        }
    }
    if (scene.style().axis_labels) {
        const double height = QFontMetricsF(scene.style().font).height();
        add({0, bottom + 2, static_cast<double>(width), height + 4});
    }
    add(draggedRange(scene, pointer));
    add(draggedBox(scene, pointer));
    add(bubbleRect(scene, pointer));
    return region;
}

CursorOverlay::CursorOverlay(const ViewState& state, const TimelineScene& scene,
                             const Pointer& pointer, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_scene(scene)
    , m_pointer(pointer)
{
    setObjectName(QStringLiteral("cursorOverlay"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    setGeometry(parent->rect());
    parent->installEventFilter(this);
}

bool CursorOverlay::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize) {
        setGeometry(parentWidget()->rect());
    }
    return QWidget::eventFilter(watched, event);
}

void CursorOverlay::follow()
{
    update(m_painted + cursorRegion(m_scene, m_state, m_pointer, width()));
}

void CursorOverlay::paintEvent(QPaintEvent*)
{
    m_painted = cursorRegion(m_scene, m_state, m_pointer, width());
    if (m_state.hasDevice() && !m_scene.projection().columns.empty()) {
        QPainter painter(this);
        paintCursor(painter, m_scene, m_state, m_pointer);
    }
}

} // namespace tidemark::ui
