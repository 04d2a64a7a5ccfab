// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/compare/run_multiples.h"

#include "ui/models/one_unit.h"
#include "ui/models/text.h"
#include "ui/views/compare/run_edge.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/when_seen.h"
#include "ui/views/timeline/timeline_plot.h"

#include <QtWidgets/QGridLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::ui {
namespace {

constexpr int kLeastCellWidth = 300; ///< Of a cell.
constexpr int kLongestRunName = 34; ///< Average letters.

} // namespace

RunMultiples::RunMultiples(QWidget* parent)
    : QWidget(parent)
    , m_grid(new QGridLayout(this))
    , m_seen(new WhenSeen(*this, [this] { fill(); }))
{
    setObjectName(QStringLiteral("runMultiples"));
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(8);
}

TimelinePlot& RunMultiples::plot(std::size_t cell)
{
    return *m_cells[cell].plot;
}

void RunMultiples::setRuns(std::vector<NamedRun> runs)
{
    if (runs == m_runs) {
        return;
    }
    m_runs = std::move(runs);
    if (m_runs.empty() || !isVisible()) {
        removeCells(); // They would hold what may be closed.
    }
    m_seen->fill();
}

void RunMultiples::fill()
{
    if (m_runs.empty()) {
        return;
    }
    if (m_cells.size() != m_runs.size()) {
        makeCells();
    }
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        m_cells[i].state->show(m_runs[i].run.analysis, m_runs[i].run.device);
        m_cells[i].edge->setRun(m_runs[i].run.letter, runColour(m_runs[i].run.letter));
    }
    refreshTitles();
    shareScale();
    arrange();
}

void RunMultiples::removeCells()
{
    for (const Cell& cell : m_cells) {
        delete cell.frame; // Before the state that it shows.
    }
    m_cells.clear();
}

void RunMultiples::makeCells()
{
    removeCells();
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        Cell cell;
        cell.state = std::make_unique<ViewState>();
        cell.frame = new QWidget(this);
        cell.edge = new RunEdge(cell.frame);
        cell.title = makeQuietButton(cell.frame, {});
        cell.plot = new TimelinePlot(*cell.state, cell.frame);
        cell.plot->setKeepsBands(false);
        cell.plot->setObjectName(QStringLiteral("multiplePlot%1").arg(i));
        auto* row = new QHBoxLayout(cell.frame);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(4);
        row->addWidget(cell.edge);
        auto* column = new QVBoxLayout;
        column->setSpacing(0);
        column->addWidget(cell.title, 0, Qt::AlignLeft);
        column->addWidget(cell.plot, 1);
        row->addLayout(column, 1);
        connect(cell.title, &QToolButton::clicked, this, [this, i] {
            if (i > 0) {
                Q_EMIT chosen(m_runs[i].id);
            }
        });
        m_cells.push_back(std::move(cell));
    }
}

void RunMultiples::refreshTitles()
{
    const Bytes reference = m_runs.front().run.peak();
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const Bytes peak = m_runs[i].run.peak();
        const QString name = fontMetrics().elidedText(
            m_runs[i].name, Qt::ElideMiddle, fontMetrics().averageCharWidth() * kLongestRunName);
        QString words = name % QStringLiteral(" · ") % bytesText(peak);
        if (i > 0) {
            words += QStringLiteral(" · ") % signedBytesText(peak - reference)
                % QStringLiteral(" · ") % changeText(reference, peak);
        }
        QToolButton& title = *m_cells[i].title;
        title.setText(QString(words).replace(u'&', QStringLiteral("&&")));
        title.setToolTip(
            i == 0 ? tr("%1: base of the comparison").arg(m_runs[i].name)
                   : tr("Compare %1 with %2").arg(m_runs[i].name, m_runs.front().run.letter));
        m_cells[i].plot->setAccessibleName(tr("Memory of %1").arg(m_runs[i].run.letter));
    }
}

void RunMultiples::shareScale()
{
    double top = 0;
    Interval<double> extent{0, 1};
    for (const Cell& cell : m_cells) {
        top = std::max(top, cell.plot->naturalTop());
        extent.end = std::max(extent.end, cell.state->extent().end);
    }
    const int left = fontMetrics().horizontalAdvance(QStringLiteral("000.0 MiB")) + 10;
    for (const Cell& cell : m_cells) {
        cell.plot->setSharedTop(top);
        cell.plot->setLeftMargin(left);
        cell.plot->setBelow({true, true});
        cell.state->widenExtent(extent);
        cell.state->fit();
    }
}

/// As many columns as there is room for, as few rows as that takes.
void RunMultiples::arrange()
{
    const int count = static_cast<int>(m_cells.size());
    if (count == 0) {
        return;
    }
    const int most = std::clamp(width() / kLeastCellWidth, 1, count);
    const int columns =
        std::min(most, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count)))));
    for (int i = 0; i < count; ++i) {
        m_grid->addWidget(m_cells[static_cast<std::size_t>(i)].frame, i / columns, i % columns);
    }
    for (int c = 0; c < m_grid->columnCount(); ++c) {
        m_grid->setColumnStretch(c, c < columns ? 1 : 0);
    }
    for (int r = 0; r < m_grid->rowCount(); ++r) {
        m_grid->setRowStretch(r, r <= (count - 1) / columns ? 1 : 0);
    }
}

void RunMultiples::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace tidemark::ui
