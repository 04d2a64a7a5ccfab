// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What mouse and keyboard do to the timeline.
#include "core/base/short_text.h"
#include "ui/models/band_grouping.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/timeline/annotation_painter.h"
#include "ui/views/timeline/layers_painter.h"
#include "ui/views/timeline/timeline_plot.h"

#include <QtGui/QContextMenuEvent>
#include <QtGui/QHelpEvent>
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QWheelEvent>
#include <QtWidgets/QToolTip>

#include <algorithm>
#include <cmath>

namespace tidemark::ui {
namespace {

constexpr double kKeyZoom = 0.7;
constexpr double kKeyRise = 0.25; ///< Of the height.

} // namespace

QString TimelinePlot::wordsAt(const QPointF& position) const
{
    const projection::TimelineColumn* column = m_scene.columnAt(position.x());
    if (column == nullptr) {
        return {};
    }
    constexpr double kFlagWidth = 8;
    constexpr double kFlagHeight = 14;
    for (const FlagMark& flag : m_scene.marks().flags) {
        if (!flag.words.isEmpty() && position.y() < m_scene.scale().rect.top() + kFlagHeight
            && std::abs(m_scene.scale().x(flag.x) - position.x()) <= kFlagWidth) {
            return flag.words;
        }
    }
    const double height = yAxis->pixelToCoord(position.y());
    const auto bytes = static_cast<std::int64_t>(height);
    if (m_state.timelineMode() == TimelineMode::allocations) {
        if (const auto hit = m_scene.allocationAt(position.x(), bytes)) {
            return allocationWords(m_state, hit->allocation);
        }
    }
    const auto band = projection::bandAt(*column, bytes, m_state.visibleBands());
    if (band) {
        return bandName(m_state.bandGrouping().get(), *band) % u' '
            % columnText({column->buckets[label::indexOf(*band)]}, {column->reserved});
    }
    if (m_state.visibleBands() != kAllBuckets || bytes < 0) {
        return {};
    }
    if (bytes < column->total + column->private_cached) {
        return tr("Free in private pools %1")
            .arg(columnText({column->private_cached}, {column->reserved}));
    }
    if (bytes < column->reserved) {
        return tr("Cached %1")
            .arg(columnText({column->reserved - column->total - column->private_cached},
                            {column->reserved}));
    }
    return {};
}

void TimelinePlot::hoverAt(const QPointF& position)
{
    if (!isOverBands(position)) {
        leaveEvent(nullptr);
        return;
    }
    const projection::TimelineColumn* column = m_scene.columnAt(position.x());
    m_pointer.mouse = position;
    m_pointer.words = wordsAt(position);
    const std::optional<StateId> before = m_state.hover();
    if (column != nullptr) {
        m_state.setHover(column->state);
    }
    if (m_state.hover() == before) {
        repaintCursor();
    }
}

void TimelinePlot::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::BackButton) {
        m_history.goBack();
    } else if (event->button() == Qt::ForwardButton) {
        m_history.goForward();
    }
    if (event->button() == Qt::LeftButton && isOverBands(event->position())) {
        const bool may_box = event->modifiers().testFlag(Qt::ControlModifier) && !m_shared_top;
        m_press = Press{event->position(),
                        m_state.range(),
                        false,
                        may_box                                              ? Press::Kind::boxes
                            : event->modifiers().testFlag(Qt::ShiftModifier) ? Press::Kind::selects
                                                                             : Press::Kind::pans,
                        {yAxis->range().lower, yAxis->range().upper}};
    }
    event->accept();
}

void TimelinePlot::mouseMoveEvent(QMouseEvent* event)
{
    event->accept();
    if (!m_press) {
        hoverAt(event->position());
        return;
    }
    const double distance = event->position().x() - m_press->at.x();
    const double rise = event->position().y() - m_press->at.y();
    const bool is_high = m_press->kind == Press::Kind::boxes || m_state.heightRange().has_value();
    m_press->has_moved = m_press->has_moved || std::abs(distance) >= kDragThreshold
        || (is_high && std::abs(rise) >= kDragThreshold);
    if (!m_press->has_moved) {
        return;
    }
    m_pointer.mouse = event->position();
    m_pointer.words.clear();
    if (m_press->kind != Press::Kind::pans) {
        if (m_press->kind == Press::Kind::boxes) {
            m_pointer.box_from = m_press->at;
        } else {
            m_pointer.drag_from = m_press->at.x();
        }
        repaintCursor();
        return;
    }
    setCursor(Qt::ClosedHandCursor);
    const double width = m_press->range.end - m_press->range.begin;
    const double shift = -distance / axisRect()->width() * width;
    m_state.setRange({m_press->range.begin + shift, m_press->range.end + shift});
    if (m_state.heightRange()) {
        const double height = m_press->height.end - m_press->height.begin;
        const double begin = m_press->height.begin + rise / axisRect()->height() * height;
        m_state.setHeightRange(Interval<double>{begin, begin + height});
    }
}

/// Where it began is a place of what was shown then.
void TimelinePlot::endDrag()
{
    m_press.reset();
    unsetCursor();
}

void TimelinePlot::mouseReleaseEvent(QMouseEvent* event)
{
    event->accept();
    if (!m_press || event->button() != Qt::LeftButton) {
        return;
    }
    const Press press = *m_press;
    endDrag();
    m_pointer.drag_from.reset();
    m_pointer.box_from.reset();
    if (press.kind == Press::Kind::boxes && press.has_moved) {
        zoomToBox(press.at, event->position());
    } else if (press.kind == Press::Kind::selects && press.has_moved) {
        const projection::AxisMap& axis = m_state.axisMap();
        m_state.selectRange(Interval<StateId>{axis.toState(coordinateAt(press.at.x())),
                                              axis.toState(coordinateAt(event->position().x()))});
    } else if (!press.has_moved) {
        if (const projection::TimelineColumn* column = m_scene.columnAt(press.at.x())) {
            m_state.setCursor(column->state);
        }
        if (m_state.timelineMode() == TimelineMode::allocations) {
            const auto bytes = static_cast<std::int64_t>(yAxis->pixelToCoord(press.at.y()));
            const auto hit = m_scene.allocationAt(press.at.x(), bytes);
            m_state.select(hit ? hit->allocation : AllocationId::none());
            if (hit) {
                Q_EMIT stackRequested();
            }
        }
    }
    repaintCursor();
}

void TimelinePlot::mouseDoubleClickEvent(QMouseEvent* event)
{
    event->accept();
    m_press.reset();
    if (!m_state.hasDevice()) {
        return;
    }
    if (isOverHeightAxis(event->position())) {
        m_state.setHeightRange({});
        return;
    }
    const auto& selected = m_state.selectedRange();
    const double at = coordinateAt(event->position().x());
    const projection::AxisMap& axis = m_state.axisMap();
    const bool is_inside =
        selected && axis.toX(selected->begin) <= at && at <= axis.toX(selected->end);
    if (is_inside) {
        m_state.zoomToSelection();
    } else {
        m_state.fit();
    }
}

void TimelinePlot::wheelEvent(QWheelEvent* event)
{
    event->accept();
    if (!m_state.hasDevice()) {
        return;
    }
    const QPoint angle = event->angleDelta();
    const bool is_over_axis = isOverHeightAxis(event->position());
    if (is_over_axis || event->modifiers().testFlag(Qt::AltModifier)) {
        // With Alt a wheel turns sideways.
        const double turn = angle.y() != 0 ? angle.y() : angle.x();
        zoomHeight(yAxis->pixelToCoord(event->position().y()), std::pow(kWheelZoom, -turn));
        return;
    }
    const bool is_sideways =
        std::abs(angle.x()) > std::abs(angle.y()) || event->modifiers().testFlag(Qt::ShiftModifier);
    const Interval<double> range = m_state.range();
    if (is_sideways) {
        const double turn = angle.x() != 0 ? angle.x() : angle.y();
        m_state.pan(-turn / 1200.0 * (range.end - range.begin));
    } else {
        m_state.zoomAround(std::clamp(coordinateAt(event->position().x()), range.begin, range.end),
                           std::pow(kWheelZoom, -angle.y()));
    }
}

void TimelinePlot::leaveEvent(QEvent* /*event*/)
{
    m_pointer.mouse.reset();
    m_pointer.words.clear();
    m_state.setHover(std::nullopt);
}

void TimelinePlot::contextMenuEvent(QContextMenuEvent* event)
{
    const QPointF at = event->pos();
    const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
    if (!m_state.hasDevice() || m_state.timelineMode() != TimelineMode::allocations
        || (!by_key && !isOverBands(at))) {
        return;
    }
    if (!by_key) {
        const auto bytes = static_cast<std::int64_t>(yAxis->pixelToCoord(at.y()));
        const auto hit = m_scene.allocationAt(at.x(), bytes);
        m_state.select(hit ? hit->allocation : AllocationId::none());
    }
    if (!m_state.selected().isNone()) {
        Q_EMIT menuRequested(event->globalPos());
    }
}

std::vector<KeyHelp> TimelinePlot::keyHelp()
{
    return {{Qt::Key_Left, {}, tr("Previous event; Shift: 10, Ctrl: 100")},
            {Qt::Key_Right, {}, tr("Next event; Shift: 10, Ctrl: 100")},
            {Qt::Key_Home, {}, tr("Start of the trace")},
            {Qt::Key_End, {}, tr("End of the trace")},
            {Qt::Key_PageUp, {}, tr("Scroll left")},
            {Qt::Key_PageDown, {}, tr("Scroll right")},
            {Qt::Key_Plus, {}, tr("Zoom in")},
            {Qt::Key_Minus, {}, tr("Zoom out")},
            {Qt::Key_Up, {}, tr("Zoom in vertically at the cursor")},
            {Qt::Key_Down, {}, tr("Zoom out vertically")},
            {Qt::SHIFT | Qt::Key_Up, {}, tr("Scroll up")},
            {Qt::SHIFT | Qt::Key_Down, {}, tr("Scroll down")},
            {Qt::Key_BracketLeft, {}, tr("Start the range at the cursor")},
            {Qt::Key_BracketRight, {}, tr("End the range at the cursor")},
            {Qt::Key_Escape, {}, tr("Clear the range and the selection")},
            {Qt::Key_Backspace, {}, tr("Previous view")},
            {Qt::SHIFT | Qt::Key_Backspace, {}, tr("Next view")},
            {{}, tr("Click"), tr("Move the cursor")},
            {{}, tr("Drag"), tr("Pan")},
            {{}, tr("Shift+drag"), tr("Select a range")},
            {{}, tr("Ctrl+drag"), tr("Zoom to a box")},
            {{}, tr("Wheel"), tr("Zoom at the mouse; Shift: pan")},
            {{}, tr("Wheel on the byte axis, or Alt+wheel"), tr("Zoom vertically")},
            {{},
             tr("Double-click"),
             tr("Zoom to the range, or show all; on the byte axis, full height")}};
}

bool TimelinePlot::handleKey(int key, Qt::KeyboardModifiers modifiers)
{
    const int step = modifiers.testFlag(Qt::ControlModifier) ? 100
        : modifiers.testFlag(Qt::ShiftModifier)              ? 10
                                                             : 1;
    const Interval<double> range = m_state.range();
    const double middle =
        std::clamp(m_state.axisMap().toX(m_state.cursor()), range.begin, range.end);
    switch (key) {
    case Qt::Key_Left:
        m_state.stepCursor(-step);
        return true;
    case Qt::Key_Right:
        m_state.stepCursor(step);
        return true;
    case Qt::Key_Home:
        m_state.setCursor(StateId::start());
        m_state.reveal(m_state.cursor());
        return true;
    case Qt::Key_End:
        m_state.setCursor(m_state.replay().lastState());
        m_state.reveal(m_state.cursor());
        return true;
    case Qt::Key_PageUp:
        m_state.pan(-0.8 * (range.end - range.begin));
        return true;
    case Qt::Key_PageDown:
        m_state.pan(0.8 * (range.end - range.begin));
        return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        m_state.zoomAround(middle, kKeyZoom);
        return true;
    case Qt::Key_Minus:
        m_state.zoomAround(middle, 1 / kKeyZoom);
        return true;
    default:
        return handleHeightKey(key, modifiers) || handleRangeKey(key, modifiers);
    }
}

bool TimelinePlot::handleHeightKey(int key, Qt::KeyboardModifiers modifiers)
{
    const bool is_up = key == Qt::Key_Up;
    if (!is_up && key != Qt::Key_Down) {
        return false;
    }
    const double height = yAxis->range().size();
    if (modifiers.testFlag(Qt::ShiftModifier)) {
        panHeight((is_up ? 1 : -1) * kKeyRise * height);
    } else {
        const double total = static_cast<double>(m_state.replay().activeAt(m_state.cursor()).value);
        const Interval<double> shown{yAxis->range().lower, yAxis->range().upper};
        zoomHeight(std::clamp(total, shown.begin, shown.end), is_up ? kKeyZoom : 1 / kKeyZoom);
    }
    return true;
}

bool TimelinePlot::isOverHeightAxis(const QPointF& position) const
{
    const QRect bands = axisRect()->rect();
    return m_state.hasDevice() && position.x() < bands.left() && position.y() >= bands.top()
        && position.y() <= bands.bottom();
}

void TimelinePlot::zoomHeight(double bytes, double factor)
{
    if (m_shared_top) {
        return;
    }
    const Interval<double> whole = wholeHeight();
    const double former = yAxis->range().size();
    const double height = former * factor;
    if (height >= whole.end) {
        m_state.setHeightRange({});
        return;
    }
    const double share = (bytes - yAxis->range().lower) / former;
    const double begin = std::clamp(bytes - share * height, 0.0, whole.end - height);
    m_state.setHeightRange(Interval<double>{begin, begin + height});
}

void TimelinePlot::panHeight(double bytes)
{
    if (const auto& shown = m_state.heightRange()) {
        const double height = shown->end - shown->begin;
        const double begin =
            std::clamp(shown->begin + bytes, 0.0, std::max(0.0, wholeHeight().end - height));
        m_state.setHeightRange(Interval<double>{begin, begin + height});
    }
}

void TimelinePlot::zoomToBox(const QPointF& from, const QPointF& to)
{
    const QRectF box = QRectF(from, to).normalized() & QRectF(axisRect()->rect());
    if (box.width() < kDragThreshold || box.height() < kDragThreshold) {
        return;
    }
    const Interval<double> height{yAxis->pixelToCoord(box.bottom()),
                                  yAxis->pixelToCoord(box.top())};
    m_state.setRange({coordinateAt(box.left()), coordinateAt(box.right())});
    m_state.setHeightRange(height);
}

/// The selected range, and the views before this one.
bool TimelinePlot::handleRangeKey(int key, Qt::KeyboardModifiers modifiers)
{
    const StateId cursor = m_state.cursor();
    const auto& selected = m_state.selectedRange();
    switch (key) {
    case Qt::Key_Backspace:
        if (modifiers.testFlag(Qt::ShiftModifier)) {
            m_history.goForward();
        } else {
            m_history.goBack();
        }
        return true;
    case Qt::Key_Z:
        m_state.zoomToSelection();
        return true;
    case Qt::Key_Escape:
        if (!selected && !m_state.selector().selection()) {
            return false;
        }
        m_state.selectRange({});
        m_state.selector().clear();
        return true;
    case Qt::Key_BracketLeft:
        m_state.selectRange(Interval<StateId>{
            cursor, selected ? std::max(selected->end, cursor) : m_state.replay().lastState()});
        return true;
    case Qt::Key_BracketRight:
        m_state.selectRange(Interval<StateId>{
            selected ? std::min(selected->begin, cursor) : StateId::start(), cursor});
        return true;
    default:
        return false;
    }
}

bool TimelinePlot::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || !m_state.hasDevice()) {
        return QCustomPlot::event(event);
    }
    auto* help = static_cast<QHelpEvent*>(event);
    const projection::AnnotationSpan* span = annotationAt(
        help->pos(), StripItem::annotationRect(m_state, m_scene.scale().rect, m_scene.style()),
        m_scene.scale(), m_state);
    if (span == nullptr) {
        QToolTip::hideText();
        event->ignore();
        return true;
    }
    QString words = text(shownName(m_state.analysis().snapshot->text(span->name)));
    if (m_state.canShowTime()) {
        words += QStringLiteral("\n") + durationText(span->times.end - span->times.begin);
    }
    if (span->is_open) {
        words += QStringLiteral("\n") + tr("End not recorded.");
    }
    QToolTip::showText(help->globalPos(), words, this);
    return true;
}

void TimelinePlot::keyPressEvent(QKeyEvent* event)
{
    if (!m_state.hasDevice() || !handleKey(event->key(), event->modifiers())) {
        QCustomPlot::keyPressEvent(event);
    }
}

} // namespace tidemark::ui
