// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What the ranks of a job do on keys and the mouse.
#include "ui/models/text.h"
#include "ui/views/job/rank_bands.h"
#include "ui/views/look/pieces.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtWidgets/QScrollBar>

#include <algorithm>
#include <cmath>

namespace tidemark::ui {
namespace {

constexpr double kKeyZoom = 0.7;
constexpr double kKeyStep = 0.2; ///< Of what is shown.

bool isPlain(const QKeyEvent& key)
{
    return (key.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) == 0;
}

} // namespace

std::vector<KeyHelp> RankBands::keyHelp()
{
    return {{Qt::Key_Down, {}, tr("Select the next rank")},
            {Qt::Key_Up, {}, tr("Select the previous rank")},
            {Qt::Key_N, {}, tr("Select the next outlier")},
            {Qt::SHIFT | Qt::Key_N, {}, tr("Select the previous outlier")},
            {Qt::Key_C, {}, tr("Compare the selected rank with the median")},
            {Qt::Key_Return, {}, tr("Open the selected rank")},
            {Qt::Key_Plus, {}, tr("Zoom in")},
            {Qt::Key_Minus, {}, tr("Zoom out")},
            {Qt::Key_0, {}, tr("Show the whole axis")},
            {Qt::Key_Left, {}, tr("Scroll left")},
            {Qt::Key_Right, {}, tr("Scroll right")},
            {Qt::Key_unknown, tr("Ctrl+wheel"), tr("Zoom at the mouse")},
            {Qt::Key_unknown, tr("Double-click"), tr("Open a rank")},
            {Qt::Key_unknown, tr("Ctrl+click"), tr("Compare the selected rank with this one")}};
}

void RankBands::select(std::size_t row)
{
    const bool is_same = row == m_selected;
    m_selected = row;
    const std::size_t line = m_lines.lineOf(row);
    if (line != kNoRow) {
        const QRect rect = lineRect(line);
        if (rect.top() < headHeight()) {
            verticalScrollBar()->setValue(verticalScrollBar()->value() + rect.top() - headHeight());
        } else if (rect.bottom() > viewport()->height()) {
            verticalScrollBar()->setValue(verticalScrollBar()->value() + rect.bottom()
                                          - viewport()->height() + 1);
        }
    }
    viewport()->update();
    if (!is_same) {
        // What a screen reader says of it.
        setAccessibleDescription(line == kNoRow ? QString()
                                                : dumpName(m_job->rows[row]) % QStringLiteral(", ")
                                         % bytesText(m_job->rows[row].peak) % u' '
                                         % fateText(*m_job, row));
        Q_EMIT selectionChanged();
    }
}

void RankBands::selectLine(int line)
{
    const int last = static_cast<int>(m_lines.lines.size()) - 1;
    if (last >= 0) {
        select(m_lines.lines[static_cast<std::size_t>(std::clamp(line, 0, last))].row);
    }
}

void RankBands::stepLine(int by)
{
    const std::size_t line = m_lines.lineOf(m_selected);
    selectLine(line == kNoRow ? 0 : static_cast<int>(line) + by);
}

void RankBands::stepOutlier(int by)
{
    if (m_job == nullptr) {
        return;
    }
    std::vector<std::size_t> outliers; // Each line once, in the order of the job.
    const auto take = [&](std::size_t row) {
        const std::size_t line = m_lines.lineOf(row);
        if (line != kNoRow && std::ranges::find(outliers, line) == outliers.end()) {
            outliers.push_back(line);
        }
    };
    if (m_job->first) {
        take(m_job->first->row);
    }
    for (const job::Outlier& outlier : m_job->outliers) {
        take(outlier.row);
    }
    if (outliers.empty()) {
        return;
    }
    const auto count = static_cast<int>(outliers.size());
    const auto at = std::ranges::find(outliers, m_lines.lineOf(m_selected));
    const int now = static_cast<int>(at - outliers.begin());
    const int next = at == outliers.end() ? (by > 0 ? 0 : count - 1) : (now + by + count) % count;
    select(m_lines.lines[outliers[static_cast<std::size_t>(next)]].row);
}

void RankBands::compareWithMedian()
{
    if (m_job == nullptr || m_selected == kNoRow) {
        return;
    }
    const std::size_t median = medianOf(*m_job, m_selected);
    if (median != kNoRow) {
        Q_EMIT compareRequested(m_selected, median);
    }
}

bool RankBands::event(QEvent* event)
{
    // Keys of this view that are shortcuts of the window elsewhere.
    if (event->type() == QEvent::ShortcutOverride) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (isPlain(*key) && (key->key() == Qt::Key_N || key->key() == Qt::Key_C)) {
            key->accept();
            return true;
        }
    }
    return QAbstractScrollArea::event(event);
}

void RankBands::keyPressEvent(QKeyEvent* event)
{
    if (!isPlain(*event)) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
    case Qt::Key_Down:
        stepLine(1);
        break;
    case Qt::Key_Up:
        stepLine(-1);
        break;
    case Qt::Key_Home:
        selectLine(0);
        break;
    case Qt::Key_End:
        selectLine(static_cast<int>(m_lines.lines.size()));
        break;
    case Qt::Key_N:
        stepOutlier(event->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
        break;
    case Qt::Key_C:
        compareWithMedian();
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_selected != kNoRow) {
            Q_EMIT openRequested(m_selected);
        }
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoom(kKeyZoom, 0.5);
        break;
    case Qt::Key_Minus:
        zoom(1 / kKeyZoom, 0.5);
        break;
    case Qt::Key_0:
        setPart({0, 1});
        break;
    case Qt::Key_Left:
        move(-kKeyStep);
        break;
    case Qt::Key_Right:
        move(kKeyStep);
        break;
    default:
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    event->accept();
}

/// `around`: the place that stays, 0 at the left edge of the part and 1 at the right.
void RankBands::zoom(double factor, double around)
{
    const double length = m_part.end - m_part.begin;
    const double at = m_part.begin + around * length;
    setPart({at - around * length * factor, at + (1 - around) * length * factor});
}

void RankBands::move(double by)
{
    const double step = by * (m_part.end - m_part.begin);
    setPart({m_part.begin + step, m_part.end + step});
}

void RankBands::wheelEvent(QWheelEvent* event)
{
    if (!event->modifiers().testFlag(Qt::ControlModifier) || m_lines.lines.empty()) {
        QAbstractScrollArea::wheelEvent(event);
        return;
    }
    double around = 0.5;
    for (std::size_t c = 0; c < m_lines.columns.size(); ++c) {
        const QRectF rect = frameOf(0, c).rect;
        if (event->position().x() >= rect.left() && event->position().x() <= rect.right()) {
            around = (event->position().x() - rect.left()) / rect.width();
        }
    }
    zoom(std::pow(kWheelZoom, -event->angleDelta().y()), around);
    event->accept();
}

void RankBands::mousePressEvent(QMouseEvent* event)
{
    const std::size_t row = rowAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || row == kNoRow) {
        QAbstractScrollArea::mousePressEvent(event);
        return;
    }
    if (event->modifiers().testFlag(Qt::ControlModifier) && m_selected != kNoRow
        && m_selected != row) {
        Q_EMIT compareRequested(row, m_selected);
        return;
    }
    select(row);
}

void RankBands::mouseDoubleClickEvent(QMouseEvent* event)
{
    const std::size_t row = rowAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && row != kNoRow) {
        Q_EMIT openRequested(row);
    }
}

} // namespace tidemark::ui
