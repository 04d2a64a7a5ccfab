// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/job/rank_bands.h"

#include "core/base/format.h"
#include "ui/models/text.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtGui/QHelpEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kHighestLine = 320;
constexpr int kLineMargin = 8;
constexpr int kColumnGap = 10;
constexpr int kMostTitleWidth = 190;
constexpr double kTint = 0.07; ///< Of the line of a rank that ran out of memory.

} // namespace

RankBands::RankBands(QWidget* parent)
    : QAbstractScrollArea(parent)
{
    setObjectName(QStringLiteral("rankBands"));
    setAccessibleName(tr("Memory of each rank"));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setAutoFillBackground(false);
    viewport()->setMouseTracking(true);
}

void RankBands::setJob(std::shared_ptr<const job::Job> job)
{
    // The rank that is selected stays, whatever came before it.
    const std::string file =
        m_job != nullptr && m_selected != kNoRow ? m_job->rows[m_selected].file : std::string();
    const std::int32_t device = file.empty() ? 0 : m_job->rows[m_selected].device;
    m_job = std::move(job);
    const std::size_t former = std::exchange(m_selected, kNoRow);
    if (m_job != nullptr && !file.empty()) {
        const auto found = std::ranges::find_if(
            m_job->rows, [&](const auto& row) { return row.file == file && row.device == device; });
        m_selected = found == m_job->rows.end()
            ? kNoRow
            : static_cast<std::size_t>(found - m_job->rows.begin());
    }
    relayout();
    if (former != kNoRow || m_selected != kNoRow) {
        Q_EMIT selectionChanged();
    }
}

void RankBands::setAxis(JobAxis axis)
{
    if (axis != m_axis) {
        m_axis = axis;
        m_is_zoomed = false;
        showBusyPart();
        viewport()->update();
    }
}

/// What a person did not zoom into shows the part in which something happens.
void RankBands::showBusyPart()
{
    double quiet = m_axis == JobAxis::clock && !m_lines.columns.empty() ? 1 : 0;
    for (const JobLines::Column& column : m_lines.columns) {
        quiet = std::min(quiet, column.quiet);
    }
    if (!m_is_zoomed && m_part != Interval<double>{quiet, 1}) {
        m_part = {quiet, 1};
        Q_EMIT partChanged();
    }
}

void RankBands::setPart(Interval<double> part)
{
    constexpr double kLeast = 1e-4;
    const double length = std::clamp(part.end - part.begin, kLeast, 1.0);
    const double begin = std::clamp(part.begin, 0.0, 1.0 - length);
    m_part = {begin, begin + length};
    m_is_zoomed = true;
    viewport()->update();
    Q_EMIT partChanged();
}

void RankBands::setOrder(RankOrder order)
{
    if (order != m_order) {
        m_order = order;
        relayout();
        select(m_selected);
    }
}

void RankBands::setMoments(ShownMoments moments)
{
    if (moments != m_moments) {
        m_moments = moments;
        relayout();
    }
}

void RankBands::relayout()
{
    m_lines = m_job == nullptr ? JobLines{} : linesOf(*m_job, m_order, m_moments);
    m_is_zoomed = m_is_zoomed && m_job != nullptr;
    showBusyPart();
    fitTitles();
    fitScrollBar();
    viewport()->update();
}

int RankBands::lineHeight() const
{
    // Many ranks say what they are in two lines instead of three.
    const int least = titleHeight() - QFontMetrics(smallFont(*this)).height();
    const int count = std::max(1, static_cast<int>(m_lines.lines.size()));
    return std::clamp((viewport()->height() - headHeight()) / count, least, kHighestLine);
}

int RankBands::titleHeight() const
{
    return fontMetrics().height() + 2 * QFontMetrics(smallFont(*this)).height() + kLineMargin;
}

int RankBands::headHeight() const
{
    return QFontMetrics(smallFont(*this)).height() + 6;
}

void RankBands::fitTitles()
{
    constexpr std::size_t kMeasured = 64; // lines
    const QFontMetrics small(smallFont(*this));
    const QFontMetrics bold(headingFont(*this, 1.0));
    m_title_width = 0;
    for (std::size_t i = 0; i < std::min(kMeasured, m_lines.lines.size()); ++i) {
        const job::RankSummary& rank = m_job->rows[m_lines.lines[i].row];
        m_title_width = std::max(
            {m_title_width, small.horizontalAdvance(fateText(*m_job, m_lines.lines[i].row)),
             small.horizontalAdvance(tr("peak %1").arg(bytesText(rank.peak))),
             bold.horizontalAdvance(rankText(rank) % QStringLiteral(" OOM")) + 3 * kLineMargin
                 + small.horizontalAdvance(bytesText(rank.peak))});
    }
    m_title_width += 2 * kLineMargin + 2;
}

int RankBands::titleWidth() const
{
    return std::min({m_title_width, kMostTitleWidth, viewport()->width() * 2 / 5});
}

void RankBands::fitScrollBar()
{
    const int all = headHeight() + lineHeight() * static_cast<int>(m_lines.lines.size());
    verticalScrollBar()->setRange(0, std::max(0, all - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(std::max(1, lineHeight() / 2));
}

QRect RankBands::lineRect(std::size_t line) const
{
    const int height = lineHeight();
    return {0, headHeight() + static_cast<int>(line) * height - verticalScrollBar()->value(),
            viewport()->width(), height};
}

std::size_t RankBands::lineAt(int y) const
{
    const int at = y - headHeight() + verticalScrollBar()->value();
    if (y < headHeight() || at < 0) {
        return kNoRow;
    }
    const auto line = static_cast<std::size_t>(at / lineHeight());
    return line < m_lines.lines.size() ? line : kNoRow;
}

std::size_t RankBands::rowAt(const QPoint& at) const
{
    const std::size_t line = lineAt(at.y());
    if (line == kNoRow) {
        return kNoRow;
    }
    for (std::size_t c = 0; c < m_lines.columns.size(); ++c) {
        const std::size_t row = m_lines.lines[line].cells[c];
        const QRectF rect = frameOf(line, c).rect;
        if (row != kNoRow && at.x() >= rect.left() && at.x() <= rect.right()) {
            return row;
        }
    }
    return m_lines.lines[line].row;
}

BandsFrame RankBands::frameOf(std::size_t line, std::size_t column) const
{
    const QRect all = lineRect(line);
    const auto count = static_cast<double>(m_lines.columns.size());
    const double room = all.width() - titleWidth() - kLineMargin;
    const double width = (room - kColumnGap * (count - 1)) / count;
    BandsFrame frame;
    frame.rect =
        QRectF(titleWidth() + static_cast<double>(column) * (width + kColumnGap),
               all.top() + kLineMargin, std::max(1.0, width), all.height() - kLineMargin - 4);
    frame.axis = m_axis;
    frame.extent =
        m_axis == JobAxis::clock ? m_lines.columns[column].clock : m_lines.columns[column].events;
    const double length = frame.extent.end - frame.extent.begin;
    frame.extent = {frame.extent.begin + m_part.begin * length,
                    frame.extent.begin + m_part.end * length};
    frame.top = m_lines.top;
    return frame;
}

void RankBands::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    painter.setClipRect(event->rect());
    m_painted = 0;
    const int height = lineHeight();
    const int first =
        std::max(0, (event->rect().top() - headHeight() + verticalScrollBar()->value()) / height);
    for (auto line = static_cast<std::size_t>(first); line < m_lines.lines.size(); ++line) {
        if (lineRect(line).top() > event->rect().bottom()) {
            break;
        }
        paintLine(painter, line);
        ++m_painted;
    }
    paintHead(painter);
}

/// What the axes are, above all lines.
void RankBands::paintHead(QPainter& painter) const
{
    const ThemeColours& colours = currentColours();
    const QRect head(0, 0, viewport()->width(), headHeight());
    painter.fillRect(head, colours.card);
    painter.setFont(smallFont(*this));
    painter.setPen(colours.secondary);
    const QFontMetrics metrics(painter.font());
    for (std::size_t c = 0; c < m_lines.columns.size() && !m_lines.lines.empty(); ++c) {
        const BandsFrame frame = frameOf(0, c);
        const QRectF rect(frame.rect.left(), 0, frame.rect.width(), head.height());
        if (!m_lines.columns[c].title.isEmpty()) {
            painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter,
                             metrics.elidedText(m_lines.columns[c].title, Qt::ElideRight,
                                                static_cast<int>(rect.width())));
            continue;
        }
        if (m_axis == JobAxis::clock && frame.extent.isEmpty()) {
            continue;
        }
        const QString from = m_axis == JobAxis::clock
            ? clockText(TimePoint(Duration(static_cast<std::int64_t>(frame.extent.begin))))
            : m_part.begin > 0
            ? text(formatEventNumber(static_cast<std::int64_t>(frame.extent.begin)))
            : tr("start");
        const QString to = m_axis == JobAxis::clock
            ? clockText(TimePoint(Duration(static_cast<std::int64_t>(frame.extent.end))))
            : text(formatEventNumber(static_cast<std::int64_t>(frame.extent.end)));
        painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, from);
        painter.drawText(rect, Qt::AlignRight | Qt::AlignVCenter, to);
    }
    if (!m_lines.lines.empty()) {
        painter.drawText(QRect(kLineMargin, 0, titleWidth() - kLineMargin, head.height()),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(tr("0 to %1").arg(bytesText(m_lines.top)),
                                            Qt::ElideRight, titleWidth() - 2 * kLineMargin));
    }
}

void RankBands::paintLine(QPainter& painter, std::size_t line) const
{
    const ThemeColours& colours = currentColours();
    const QRect rect = lineRect(line);
    const JobLines::Line& shown = m_lines.lines[line];
    const job::RankSummary& rank = m_job->rows[shown.row];
    if (m_lines.lineOf(m_selected) == line) {
        painter.fillRect(rect, colours.selection);
    }
    if (rank.hasFailed()) {
        QColor tint = colours.danger;
        tint.setAlphaF(static_cast<float>(kTint));
        painter.fillRect(rect, tint);
    }
    painter.setPen(colours.grid);
    painter.drawLine(rect.bottomLeft(), rect.bottomRight());
    paintTitle(painter, line, rect);
    for (std::size_t c = 0; c < shown.cells.size(); ++c) {
        if (shown.cells[c] != kNoRow) {
            paintBands(painter, frameOf(line, c), m_job->rows[shown.cells[c]], colours);
        }
    }
    if (hasFocus() && m_lines.lineOf(m_selected) == line) {
        painter.setPen(colours.accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(0, 0, -1, -1));
    }
}

void RankBands::paintTitle(QPainter& painter, std::size_t line, const QRect& rect) const
{
    const ThemeColours& colours = currentColours();
    const std::size_t row = m_lines.lines[line].row;
    const job::RankSummary& rank = m_job->rows[row];
    const int width = titleWidth() - 2 * kLineMargin;
    int y = rect.top() + kLineMargin / 2;
    const auto draw = [&](const QFont& font, const QColor& colour, const QString& words, int left) {
        const QFontMetrics metrics(font);
        painter.setFont(font);
        painter.setPen(colour);
        const QString shown = metrics.elidedText(words, Qt::ElideRight, width - left);
        painter.drawText(QRect(kLineMargin + left, y, width - left, metrics.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, shown);
        return metrics.horizontalAdvance(shown);
    };
    const QFont bold = headingFont(*this, 1.0);
    const int named = draw(bold, colours.text, rankText(rank), 0);
    if (rank.hasFailed()) {
        draw(bold, colours.danger_text, tr("OOM"), named + kLineMargin);
    } else if (m_lines.lines[line].is_outlier) {
        draw(smallFont(*this), colours.secondary, tr("differs"), named + kLineMargin);
    }
    const QFont small = smallFont(*this);
    const QFontMetrics metrics(small);
    if (rank.isRead() && rect.height() < titleHeight()) {
        painter.setFont(small);
        painter.setPen(colours.text);
        painter.drawText(QRect(kLineMargin, y, width, QFontMetrics(bold).height()),
                         Qt::AlignRight | Qt::AlignVCenter, bytesText(rank.peak));
        y += QFontMetrics(bold).height();
    } else {
        y += QFontMetrics(bold).height();
        if (rank.isRead()) {
            draw(small, colours.text, tr("peak %1").arg(bytesText(rank.peak)), 0);
            y += metrics.height();
        }
    }
    // In two lines where there is room for them.
    const QString fate = fateText(*m_job, row);
    const bool is_long = metrics.horizontalAdvance(fate) > width;
    if (is_long && y + 2 * metrics.height() <= rect.bottom()) {
        painter.setFont(small);
        painter.setPen(colours.secondary);
        painter.drawText(QRect(kLineMargin, y, width, 2 * metrics.height()),
                         Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, fate);
    } else {
        draw(small, colours.secondary, fate, 0);
    }
}

void RankBands::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void RankBands::focusOutEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void RankBands::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    fitScrollBar();
}

bool RankBands::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const QString words = tipAt(help->pos());
        if (words.isEmpty()) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), words, viewport());
        }
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

QString RankBands::tipAt(const QPoint& at) const
{
    const std::size_t row = rowAt(at);
    if (row == kNoRow) {
        return {};
    }
    const job::RankSummary& rank = m_job->rows[row];
    QString words = dumpName(rank) % u'\n' % text(rank.file);
    if (!rank.isRead()) {
        return words % u'\n' % text(rank.error);
    }
    words += u'\n' % tr("peak %1 (%2)").arg(bytesText(rank.peak), exactBytesText(rank.peak));
    const std::size_t line = m_lines.lineOf(row);
    for (std::size_t c = 0; c < m_lines.columns.size(); ++c) {
        const BandsFrame frame = frameOf(line, c);
        if (m_lines.lines[line].cells[c] != row || !frame.rect.contains(at)) {
            continue;
        }
        // What it held where the mouse is.
        const job::RankCurve::Point* nearest = nullptr;
        double distance = frame.rect.width();
        for (const job::RankCurve::Point& point : rank.curve.points) {
            const auto place = placeOf(rank, m_axis, point);
            const double away = place ? std::abs(frame.xOf(*place) - at.x()) : distance;
            if (away < distance) {
                distance = away;
                nearest = &point;
            }
        }
        for (std::size_t b = label::kBucketCount; nearest != nullptr && b-- > 0;) {
            if (nearest->buckets[b] > 0) {
                words += u'\n' % text(label::bucketName(label::bucketAt(b))) % QStringLiteral(": ")
                    % bytesText({nearest->buckets[b]});
            }
        }
    }
    return words;
}

QSize RankBands::sizeHint() const
{
    return {640, 480};
}

} // namespace tidemark::ui
