// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/memory_map/memory_map_view.h"

#include "ui/models/selection.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"
#include "ui/views/memory_map/memory_map_panel.h"
#include "ui/views/memory_map/memory_map_words.h"

#include <QtGui/QHelpEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtGui/QWheelEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr double kZoomStep = 1.25;
constexpr double kPanShare = 0.1; ///< Of the width, per key.
constexpr int kOffsetSteps = 10'000; ///< Of the horizontal scroll bar, for the widest segment.
constexpr int kManyEvents = 10;

} // namespace

MemoryMapView::MemoryMapView(ViewState& state, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_state(state)
{
    setObjectName(QStringLiteral("memoryMap"));
    setAccessibleName(tr("Memory Map"));
    setAccessibleDescription(
        tr("Segments with blocks and holes. Left and right: events. Up and down: rows. Plus and "
           "minus: zoom. N and P: next and previous block."));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setObjectName(QStringLiteral("memoryMapViewport"));
    connect(&m_state, &ViewState::selectionChanged, this, [this] {
        revealSelected();
        Q_EMIT lineChanged();
    });
    updateStyle();
}

void MemoryMapView::updateStyle()
{
    m_style.colours = currentColours();
    m_style.font = smallFont(*this);
    m_style.heading_font = m_style.font;
    m_style.heading_font.setBold(true);
    const QFontMetrics metrics(m_style.font);
    m_style.row_header_px =
        metrics.horizontalAdvance(QStringLiteral("1023.99 MiB  ")
                                  % MemoryMapPanel::tr("%1 free").arg(percentText(1)))
        + 20;
    m_view.row_px = memoryMapRowHeight(m_style.font);
    setMapView(m_view);
}

void MemoryMapView::resetDevice()
{
    m_scene.reset();
    m_hit.reset();
    m_view.zoom = 1;
    m_view.offset = 0;
    m_view.scroll_px = 0;
    const bool has_device = m_state.hasDevice();
    m_streams = has_device ? projection::streamsByAppearance(m_state.replay().segments)
                           : std::vector<std::uint64_t>();
    m_texts = has_device ? StackTexts(m_state.analysis().snapshot) : StackTexts();
    setMapView(m_view);
    Q_EMIT lineChanged();
}

void MemoryMapView::setScene(std::shared_ptr<const MemoryScene> scene)
{
    m_scene = std::move(scene);
    m_hit.reset();
    setMapView(m_view);
    if (viewport()->underMouse() && !m_drag.has_value()) {
        setHit(hitAt(viewport()->mapFromGlobal(QCursor::pos())));
    }
    Q_EMIT lineChanged();
}

const MemoryScene* MemoryMapView::scene() const
{
    const bool is_of_device = m_scene != nullptr && m_state.hasDevice()
        && m_scene->snapshot == m_state.analysis().snapshot && m_scene->device == m_state.device();
    return is_of_device ? m_scene.get() : nullptr;
}

QRect MemoryMapView::barArea() const
{
    return viewport()->rect().adjusted(m_style.row_header_px, 0, 0, 0);
}

void MemoryMapView::setMapView(projection::MapView view)
{
    const QRect bars = barArea();
    view.width_px = std::max(1, bars.width());
    view.height_px = std::max(1, bars.height());
    m_view =
        projection::bounded(view, scene() != nullptr ? scene()->layout : projection::MapLayout());
    updateScrollBars();
    project();
}

void MemoryMapView::updateScrollBars()
{
    m_sets_bars = true;
    const auto rows = scene() != nullptr ? static_cast<int>(scene()->layout.rows.size()) : 0;
    verticalScrollBar()->setRange(0, std::max(0, rows * m_view.row_px - m_view.height_px));
    verticalScrollBar()->setPageStep(m_view.height_px);
    verticalScrollBar()->setSingleStep(m_view.row_px);
    verticalScrollBar()->setValue(static_cast<int>(m_view.scroll_px));
    const double share = 1 / m_view.zoom;
    horizontalScrollBar()->setRange(0, static_cast<int>(kOffsetSteps * (1 - share)));
    horizontalScrollBar()->setPageStep(std::max(1, static_cast<int>(kOffsetSteps * share)));
    horizontalScrollBar()->setSingleStep(
        std::max(1, static_cast<int>(kOffsetSteps * share * kPanShare)));
    horizontalScrollBar()->setValue(static_cast<int>(kOffsetSteps * m_view.offset));
    m_sets_bars = false;
}

void MemoryMapView::scrollContentsBy(int dx, int dy)
{
    if (m_sets_bars) {
        return;
    }
    projection::MapView view = m_view;
    view.scroll_px = dy != 0 ? verticalScrollBar()->value() : view.scroll_px;
    view.offset =
        dx != 0 ? static_cast<double>(horizontalScrollBar()->value()) / kOffsetSteps : view.offset;
    setMapView(view);
}

void MemoryMapView::project()
{
    m_projection = scene() != nullptr
        ? projection::projectMemoryMap(scene()->memory, scene()->layout, m_state.labels(), m_view)
        : projection::MemoryMapProjection();
    viewport()->update();
}

void MemoryMapView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    setMapView(m_view);
}

void MemoryMapView::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        updateStyle();
    }
}

void MemoryMapView::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(viewport());
    const QRect area = viewport()->rect();
    if (scene() == nullptr) {
        return;
    }
    paintMemoryMap(painter, area, m_projection, *scene(), m_streams, m_style);
    if (const auto selection = m_state.selector().selection();
        selection && selection->ids.size() > 1) {
        veilInMemoryMap(painter, area, m_projection, *selection, m_style);
    }
    if (!m_state.selected().isNone()) {
        const auto place = projection::placeInMemoryMap(scene()->memory, scene()->layout, m_view,
                                                        m_state.selected());
        if (place.has_value()) {
            frameInMemoryMap(painter, area, m_view, *place, m_style);
        }
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_style.colours.accent, 1));
        painter.drawRect(area.adjusted(0, 0, -1, -1));
    }
}

std::optional<projection::MapHit> MemoryMapView::hitAt(const QPointF& at) const
{
    if (scene() == nullptr) {
        return std::nullopt;
    }
    return projection::hitMemoryMap(scene()->memory, scene()->layout, m_view,
                                    at.x() - m_style.row_header_px, at.y());
}

void MemoryMapView::setHit(std::optional<projection::MapHit> hit)
{
    m_hit = hit;
    Q_EMIT lineChanged();
}

std::optional<projection::MapHit> MemoryMapView::hitOfSelected() const
{
    if (scene() == nullptr || m_state.selected().isNone()) {
        return std::nullopt;
    }
    const auto place =
        projection::placeInMemoryMap(scene()->memory, scene()->layout, m_view, m_state.selected());
    if (!place.has_value()) {
        return std::nullopt;
    }
    const auto& blocks = scene()->memory.blocks;
    const auto block =
        std::ranges::find(blocks, m_state.selected(), &replay::BlockInState::allocation);
    projection::MapHit hit;
    hit.row = place->row;
    hit.block = static_cast<std::uint32_t>(block - blocks.begin());
    return hit;
}

QString MemoryMapView::line() const
{
    if (scene() == nullptr) {
        return {};
    }
    if (m_hit.has_value() && (m_hit->block.has_value() || m_hit->hole.has_value())) {
        return hitLine(m_state, *scene(), *m_hit, m_texts);
    }
    const auto selected = hitOfSelected();
    return selected.has_value()
        ? tr("Selected: %1").arg(hitLine(m_state, *scene(), *selected, m_texts))
        : QString();
}

QString MemoryMapView::detailsAt(const QPointF& at) const
{
    const auto hit = hitAt(at);
    return hit.has_value() ? hitDetails(m_state, *scene(), *hit, m_texts, m_streams) : QString();
}

bool MemoryMapView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), detailsAt(help->pos()), viewport());
        return true;
    }
    if (event->type() == QEvent::Leave) {
        setHit(std::nullopt);
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void MemoryMapView::zoom(double x_px, double factor)
{
    setMapView(projection::zoomedAround(m_view, x_px, factor));
}

void MemoryMapView::wheelEvent(QWheelEvent* event)
{
    if ((event->modifiers() & Qt::ControlModifier) != 0) {
        const double turns = event->angleDelta().y() / 120.0;
        zoom(std::clamp(event->position().x() - m_style.row_header_px, 0.0,
                        static_cast<double>(m_view.width_px)),
             std::pow(kZoomStep, turns));
        event->accept();
        return;
    }
    QAbstractScrollArea::wheelEvent(event);
    setHit(hitAt(event->position()));
}

void MemoryMapView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) {
        m_drag = Drag{event->position().toPoint(), m_view, false};
    }
}

void MemoryMapView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_drag.has_value()) {
        setHit(hitAt(event->position()));
        return;
    }
    const QPoint moved = event->position().toPoint() - m_drag->from;
    if (!m_drag->has_moved && moved.manhattanLength() < QApplication::startDragDistance()) {
        return;
    }
    m_drag->has_moved = true;
    viewport()->setCursor(Qt::ClosedHandCursor);
    setMapView(projection::panned(m_drag->view, moved.x(), moved.y()));
}

void MemoryMapView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_drag.has_value()) {
        return;
    }
    const bool has_moved = std::exchange(m_drag, std::nullopt)->has_moved;
    viewport()->unsetCursor();
    const auto hit = hitAt(event->position());
    if (!has_moved && scene() != nullptr) {
        m_state.select(hit.has_value() && hit->block.has_value()
                           ? scene()->memory.blocks[*hit->block].allocation
                           : AllocationId::none());
    }
    setHit(hit);
}

void MemoryMapView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const auto hit = hitAt(event->position());
    if (hit.has_value() && hit->block.has_value()) {
        m_state.select(scene()->memory.blocks[*hit->block].allocation);
        Q_EMIT stackRequested();
    }
}

void MemoryMapView::contextMenuEvent(QContextMenuEvent* event)
{
    const auto hit = hitAt(viewport()->mapFromGlobal(event->globalPos()));
    if (event->reason() != QContextMenuEvent::Keyboard && hit.has_value()
        && hit->block.has_value()) {
        m_state.select(scene()->memory.blocks[*hit->block].allocation);
    }
    if (!m_state.selected().isNone()) {
        Q_EMIT menuRequested(event->globalPos());
    }
}

std::vector<KeyHelp> MemoryMapView::keyHelp()
{
    return {{Qt::Key_Left, {}, tr("Previous event; Shift: ten")},
            {Qt::Key_Right, {}, tr("Next event; Shift: ten")},
            {Qt::CTRL | Qt::Key_Left, {}, tr("Scroll left")},
            {Qt::CTRL | Qt::Key_Right, {}, tr("Scroll right")},
            {Qt::Key_N, {}, tr("Select the next block")},
            {Qt::Key_P, {}, tr("Select the previous block")},
            {Qt::Key_Return, {}, tr("Show the selected block's stack")},
            {Qt::Key_Plus, {}, tr("Zoom in")},
            {Qt::Key_Minus, {}, tr("Zoom out")},
            {Qt::Key_0, {}, tr("Show whole segments")},
            {Qt::Key_Home, {}, tr("First segment")},
            {Qt::Key_End, {}, tr("Last segment")}};
}

void MemoryMapView::keyPressEvent(QKeyEvent* event)
{
    if (!moveByKey(*event) && !zoomByKey(*event)) {
        QAbstractScrollArea::keyPressEvent(event);
    }
}

bool MemoryMapView::moveByKey(const QKeyEvent& event)
{
    const int sign = event.key() == Qt::Key_Left ? -1 : 1;
    switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        if ((event.modifiers() & Qt::ControlModifier) != 0) {
            setMapView(projection::panned(m_view, -sign * kPanShare * m_view.width_px, 0));
        } else {
            const bool many = (event.modifiers() & Qt::ShiftModifier) != 0;
            m_state.stepCursor(sign * (many ? kManyEvents : 1));
        }
        return true;
    case Qt::Key_Home:
        verticalScrollBar()->setValue(0);
        return true;
    case Qt::Key_End:
        verticalScrollBar()->setValue(verticalScrollBar()->maximum());
        return true;
    case Qt::Key_N:
    case Qt::Key_P:
        selectNeighbour(event.key() == Qt::Key_N);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (!m_state.selected().isNone()) {
            Q_EMIT stackRequested();
        }
        return true;
    default:
        return false;
    }
}

bool MemoryMapView::zoomByKey(const QKeyEvent& event)
{
    const double middle = m_view.width_px / 2.0;
    switch (event.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoom(middle, kZoomStep);
        return true;
    case Qt::Key_Minus:
        zoom(middle, 1 / kZoomStep);
        return true;
    case Qt::Key_0: {
        projection::MapView view = m_view;
        view.zoom = 1;
        setMapView(view);
        return true;
    }
    default:
        return false;
    }
}

/// In the order of the rows, then of the addresses.
void MemoryMapView::selectNeighbour(bool forward)
{
    if (scene() == nullptr) {
        return;
    }
    std::vector<std::uint32_t> order;
    order.reserve(scene()->memory.blocks.size());
    for (const projection::MapRow& row : scene()->layout.rows) {
        if (!row.isHeading()) {
            const replay::SegmentState& s = scene()->memory.segments[row.segment];
            for (std::uint32_t i = 0; i < s.block_count; ++i) {
                order.push_back(s.first_block + i);
            }
        }
    }
    if (order.empty()) {
        return;
    }
    const auto& blocks = scene()->memory.blocks;
    const auto current = std::ranges::find_if(
        order, [&](std::uint32_t i) { return blocks[i].allocation == m_state.selected(); });
    auto next = current;
    if (current == order.end()) {
        next = forward ? order.begin() : std::prev(order.end());
    } else if (forward) {
        next = std::next(current) == order.end() ? current : std::next(current);
    } else {
        next = current == order.begin() ? current : std::prev(current);
    }
    m_hit.reset();
    m_state.select(blocks[*next].allocation);
}

void MemoryMapView::revealSelected()
{
    viewport()->update();
    if (scene() == nullptr || m_state.selected().isNone()) {
        return;
    }
    const auto place =
        projection::placeInMemoryMap(scene()->memory, scene()->layout, m_view, m_state.selected());
    if (!place.has_value()) {
        return;
    }
    projection::MapView view = m_view;
    const std::int64_t top = std::int64_t{place->row} * view.row_px;
    if (top < view.scroll_px || top + view.row_px > view.scroll_px + view.height_px) {
        view.scroll_px = top - (view.height_px - view.row_px) / 2;
    }
    if (place->right_px < 0 || place->left_px > view.width_px) {
        const double middle = (place->left_px + place->right_px) / 2;
        view = projection::panned(view, view.width_px / 2.0 - middle, 0);
    }
    if (!(view == m_view)) {
        setMapView(view);
    }
}

} // namespace tidemark::ui
