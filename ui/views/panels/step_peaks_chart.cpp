// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/step_peaks_chart.h"

#include "ui/models/text.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtGui/QHelpEvent>
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QToolTip>

#include <algorithm>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr double kWidestBar = 120;
constexpr int kMostChartLines = 20; ///< Of height: more would make bars of a few steps into towers.
constexpr double kLeastGap = 1;

} // namespace

std::vector<StepPeak> stepPeaks(const curves::PhasePeaks& peaks, const label::StepNumbers& numbers)
{
    std::vector<StepPeak> steps;
    for (const curves::PhasePeak& peak : peaks.by_step) {
        if (peak.step == 0) {
            continue;
        }
        if (steps.empty() || steps.back().step != peak.step) {
            steps.push_back({peak.step, numbers.of(peak.step), peak.phase, peak.requested});
        } else if (peak.requested.bytes > steps.back().peak.bytes) {
            steps.back().phase = peak.phase;
            steps.back().peak = peak.requested;
        }
    }
    return steps;
}

StepPeaksChart::StepPeaksChart(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(QStringLiteral("stepPeaksChart"));
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Peak of each step"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::MinimumExpanding);
    setMaximumHeight(fontMetrics().height() * kMostChartLines);
}

QSize StepPeaksChart::sizeHint() const
{
    return {200, fontMetrics().height() * 5};
}

void StepPeaksChart::setPeaks(std::vector<StepPeak> peaks)
{
    m_peaks = std::move(peaks);
    const auto highest =
        std::ranges::max_element(m_peaks, {}, [](const StepPeak& peak) { return peak.peak.bytes; });
    m_highest = m_peaks.empty() ? 0 : static_cast<std::size_t>(highest - m_peaks.begin());
    m_current = m_highest;
    setAccessibleDescription(m_peaks.empty() ? QString() : wordsOf(m_highest));
    setVisible(m_peaks.size() > 1); // One bar compares nothing.
    update();
}

QRectF StepPeaksChart::barOf(std::size_t index) const
{
    const double label = fontMetrics().height() + 2;
    const double whole = barRoom();
    const double below = isEachNamed() ? label : 0;
    const double bar = std::max(1.0, whole - std::max(kLeastGap, whole * 0.2));
    const double share = static_cast<double>(m_peaks[index].peak.bytes)
        / std::max(1.0, static_cast<double>(m_peaks[m_highest].peak.bytes));
    const double high = share * (height() - label - below - 1);
    return {whole * static_cast<double>(index), height() - below - 1 - high, bar, high};
}

double StepPeaksChart::barRoom() const
{
    return std::min(width() / static_cast<double>(m_peaks.size()), kWidestBar);
}

/// Whether every bar has room for its figure above it and its step below.
bool StepPeaksChart::isEachNamed() const
{
    // Asked for each bar: text takes long to measure, and is wider than high.
    const int line = fontMetrics().height();
    return height() >= line * 5 && barRoom() > line
        && barRoom()
        >= QFontMetricsF(smallFont(*this)).horizontalAdvance(QStringLiteral("000.00 GiB"));
}

std::optional<std::size_t> StepPeaksChart::at(const QPointF& place) const
{
    if (m_peaks.empty()) {
        return std::nullopt;
    }
    const double whole = barRoom();
    const double index = place.x() / whole;
    return index < 0 || index >= static_cast<double>(m_peaks.size())
        ? std::nullopt
        : std::optional(static_cast<std::size_t>(index));
}

QString StepPeaksChart::wordsOf(std::size_t index) const
{
    const StepPeak& step = m_peaks[index];
    return tr("step %1: %2 in %3")
        .arg(countText(step.number), bytesText({step.peak.bytes}),
             text(label::phaseName(step.phase)));
}

void StepPeaksChart::paintEvent(QPaintEvent*)
{
    if (m_peaks.empty()) {
        return;
    }
    QPainter painter(this);
    const ThemeColours& colours = currentColours();
    for (std::size_t i = 0; i < m_peaks.size(); ++i) {
        painter.fillRect(barOf(i), phaseColour(m_peaks[i].phase));
    }
    const auto frame = [&](std::size_t index, const QColor& colour) {
        painter.setPen(QPen(colour, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(barOf(index).adjusted(0, 0, -1, -1));
    };
    frame(m_highest, colours.text);
    if (hasFocus()) {
        frame(m_current, colours.accent);
    }
    painter.setFont(smallFont(*this));
    painter.setPen(colours.text);
    if (isEachNamed()) {
        const double line = QFontMetricsF(painter.font()).height() + 2;
        for (std::size_t i = 0; i < m_peaks.size(); ++i) {
            const QRectF bar = barOf(i);
            painter.drawText(QRectF(bar.left(), bar.top() - line, bar.width(), line),
                             Qt::AlignCenter, bytesText({m_peaks[i].peak.bytes}));
            painter.drawText(QRectF(bar.left(), bar.bottom() + 1, bar.width(), line),
                             Qt::AlignCenter, tr("step %1").arg(countText(m_peaks[i].number)));
        }
        return;
    }
    const std::size_t named = hasFocus() ? m_current : m_highest;
    const QString words = wordsOf(named);
    const QFontMetricsF metrics(painter.font());
    const double wide = metrics.horizontalAdvance(words);
    const double left = std::clamp(barOf(named).left(), 0.0, std::max(0.0, width() - wide - 1));
    painter.drawText(QPointF(left, metrics.ascent()), words);
}

void StepPeaksChart::choose(std::size_t index)
{
    m_current = index;
    setAccessibleDescription(wordsOf(index));
    update();
}

void StepPeaksChart::mouseReleaseEvent(QMouseEvent* event)
{
    const auto index = at(event->position());
    if (event->button() == Qt::LeftButton && index) {
        choose(*index);
        Q_EMIT chosen(m_peaks[*index].peak.state);
    }
}

void StepPeaksChart::keyPressEvent(QKeyEvent* event)
{
    const bool is_left = event->key() == Qt::Key_Left;
    if (m_peaks.empty()) {
        QWidget::keyPressEvent(event);
    } else if (is_left || event->key() == Qt::Key_Right) {
        const std::size_t last = m_peaks.size() - 1;
        choose(is_left ? m_current - std::min<std::size_t>(m_current, 1)
                       : std::min(m_current + 1, last));
    } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        Q_EMIT chosen(m_peaks[m_current].peak.state);
    } else {
        QWidget::keyPressEvent(event);
    }
}

bool StepPeaksChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* const help = static_cast<QHelpEvent*>(event);
    const auto index = at(help->pos());
    if (index) {
        QToolTip::showText(help->globalPos(), wordsOf(*index), this);
    } else {
        QToolTip::hideText();
    }
    return true;
}

} // namespace tidemark::ui
