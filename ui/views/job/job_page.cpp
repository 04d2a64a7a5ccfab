// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/job/job_page.h"

#include "ui/models/text.h"
#include "ui/views/job/job_answer.h"
#include "ui/views/job/rank_bands.h"
#include "ui/views/job/rank_table.h"
#include "ui/views/look/focus_parts.h"
#include "ui/views/look/pieces.h"

#include <QtCore/QCoreApplication>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr int kJobGap = 10;
constexpr double kBandsShare = 0.58; ///< Of the width,
constexpr double kLeastBands = 0.46; ///< or less where the table would scroll.

} // namespace

JobPage::JobPage(QWidget* parent)
    : QWidget(parent)
    , m_answer(new JobAnswer(this))
    , m_bands(new RankBands(this))
    , m_table(new RankTable(this))
    , m_columns(new QSplitter(Qt::Horizontal, this))
{
    setObjectName(QStringLiteral("jobPage"));
    setAttribute(Qt::WA_StyledBackground);
    m_columns->setHandleWidth(kJobGap);
    m_columns->setChildrenCollapsible(false);
    m_columns->addWidget(makeBandsCard());
    m_columns->addWidget(makeSide());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 12, 14, 12);
    column->setSpacing(kJobGap);
    column->addWidget(m_answer);
    column->addWidget(m_columns, 1);
    setFocusProxy(m_bands);
    m_table->view().installEventFilter(this);

    connect(m_columns, &QSplitter::splitterMoved, this, [this] { m_is_arranged = true; });
    connect(m_answer, &JobAnswer::openRequested, this, &JobPage::openRequested);
    connect(m_answer, &JobAnswer::compareRequested, this, &JobPage::compareRequested);
    connect(m_answer, &JobAnswer::stopRequested, this, &JobPage::stopRequested);
    connect(m_bands, &RankBands::openRequested, this, &JobPage::openRequested);
    connect(m_bands, &RankBands::compareRequested, this, &JobPage::compareRequested);
    connect(m_bands, &RankBands::selectionChanged, this, [this] {
        m_table->select(m_bands->selected());
        refreshNotes();
    });
    connect(m_table, &RankTable::rankChosen, m_bands, &RankBands::select);
    connect(m_table, &RankTable::openRequested, this, &JobPage::openRequested);
    setJob(nullptr);
    setReading(std::nullopt, 0);
}

QWidget* JobPage::makeBandsCard()
{
    QFrame* const card = makeCard(this, QStringLiteral("rankBandsCard"));
    auto* head = new QHBoxLayout;
    head->setContentsMargins(4, 0, 4, 0);
    m_axes = new QTabBar(card);
    m_axes->setObjectName(QStringLiteral("jobAxes"));
    m_axes->setExpanding(false);
    m_axes->setDrawBase(false);
    m_axes->addTab(tr("One clock"));
    m_axes->addTab(tr("By event"));
    head->addWidget(m_axes);
    head->addStretch(1);
    head->setSpacing(8);
    m_whole = makeQuietButton(card, tr("show whole run"));
    m_whole->setObjectName(QStringLiteral("wholeRun"));
    m_whole->setProperty("link", true);
    m_whole->setToolTip(tr("Setup is cut off; Ctrl+wheel zooms"));
    m_whole->hide();
    head->addWidget(m_whole);
    connect(m_whole, &QToolButton::clicked, this, [this] { m_bands->setPart({0, 1}); });
    connect(m_bands, &RankBands::partChanged, this, [this] {
        m_whole->setVisible(m_bands->part() != Interval<double>{0, 1});
    });
    const auto chip = [&](const QString& name, const QString& words) {
        QToolButton* const button = makeChip(card, words);
        button->setObjectName(name);
        button->setCheckable(true);
        head->addWidget(button);
        return button;
    };
    m_moments = chip(QStringLiteral("allMoments"), tr("all dumps"));
    m_moments->setToolTip(tr("Show all dumps of each rank, not only the last"));
    m_outliers = chip(QStringLiteral("outliersFirst"), tr("outliers first"));
    m_outliers->setToolTip(tr("First to fail, then the largest outliers"));
    connect(m_axes, &QTabBar::currentChanged, this,
            [this](int tab) { m_bands->setAxis(tab == 0 ? JobAxis::clock : JobAxis::event); });
    connect(m_moments, &QToolButton::toggled, this,
            [this](bool on) { m_bands->setMoments(on ? ShownMoments::all : ShownMoments::last); });
    connect(m_outliers, &QToolButton::toggled, this, [this](bool on) {
        m_bands->setOrder(on ? RankOrder::outliers_first : RankOrder::rank);
    });
    for (QToolButton* button : {m_moments, m_outliers}) {
        connect(button, &QToolButton::clicked, this, [this] { m_is_ordered = true; });
    }
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(4, 4, 4, 6);
    column->setSpacing(2);
    column->addLayout(head);
    column->addWidget(m_bands, 1);
    return card;
}

QWidget* JobPage::makeSide()
{
    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kJobGap);
    constexpr int kFirst = 1000; ///< The table takes all the room that it can use.
    column->addWidget(m_table, kFirst);
    QFrame* const card = makeCard(side, QStringLiteral("rankNotesCard"));
    auto* lines = new QVBoxLayout(card);
    lines->setContentsMargins(14, 8, 14, 8);
    lines->setSpacing(2);
    m_notes_title = makeText(card, QStringLiteral("rankNotesTitle"));
    m_notes_title->setFont(headingFont(*this, 1.0));
    m_notes = makeSecondaryText(card, QStringLiteral("rankNotes"));
    lines->addWidget(m_notes_title);
    lines->addWidget(m_notes);
    m_notes_card = card;
    column->addWidget(card);
    column->addStretch(1);
    return side;
}

void JobPage::setJob(std::shared_ptr<const job::Job> job)
{
    m_job = std::move(job);
    if (m_job == nullptr) {
        m_is_ordered = false;
    } else if (!m_is_ordered) {
        const std::size_t ranks = comparedRows(*m_job, RankOrder::rank).size();
        m_outliers->setChecked(ranks >= kHeatMapRanks);
        m_moments->setChecked(ranks == 1 && hasMoments(*m_job)); // Nothing else is to be seen.
    }
    m_answer->setJob(m_job);
    m_table->setJob(m_job);
    m_bands->setJob(m_job);
    shareWidth();
    refreshTabs();
    refreshNotes();
}

void JobPage::setReading(std::optional<double> fraction, std::size_t dumps)
{
    m_answer->setReading(fraction, dumps);
}

void JobPage::stepPart(int by)
{
    stepFocus({m_bands, m_table, m_answer}, by);
}

void JobPage::refreshTabs()
{
    const bool has_clock = m_bands->lines().hasClock();
    const bool was_clock = m_axes->isTabVisible(0);
    m_axes->setTabVisible(0, has_clock);
    if (has_clock != was_clock) {
        m_axes->setCurrentIndex(has_clock ? 0 : 1);
    }
    m_bands->setAxis(m_axes->currentIndex() == 0 ? JobAxis::clock : JobAxis::event);
    m_moments->setVisible(m_job != nullptr && hasMoments(*m_job));
    m_outliers->setVisible(m_job != nullptr && (m_job->first || !m_job->outliers.empty()));
}

void JobPage::refreshNotes()
{
    const std::size_t row = m_bands->selected();
    const bool has_row = m_job != nullptr && row != kNoRow;
    m_notes_card->setVisible(m_job != nullptr && !m_job->rows.empty());
    if (!has_row) {
        // What the answer has no room for.
        QStringList rest;
        for (std::size_t i = JobAnswer::kShown; m_job != nullptr && i < m_job->sentences.size();
             ++i) {
            rest << text(m_job->sentences[i].text);
        }
        m_notes_title->hide();
        rest << tr("Click selects a rank. Return opens it, C compares it with the median, N goes "
                   "to the next outlier.");
        m_notes->setText(rest.join(u'\n'));
        return;
    }
    const job::RankSummary& rank = m_job->rows[row];
    m_notes_title->show();
    m_notes_title->setText(dumpName(rank));
    QStringList words;
    for (const job::Outlier& outlier : m_job->outliers) {
        if (outlier.row == row && !outlier.because.empty()) {
            words << text(outlier.because);
        }
    }
    const QString notes = rankNotes(rank);
    words << (notes.isEmpty() ? text(rank.file) : notes);
    m_notes->setText(words.join(u'\n'));
}

/// Letters in the table mean what they mean beside it.
bool JobPage::eventFilter(QObject* watched, QEvent* event)
{
    const bool is_key =
        event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (watched == &m_table->view() && is_key) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_N || key == Qt::Key_C) {
            event->ignore();
            QCoreApplication::sendEvent(m_bands, event);
            return event->isAccepted();
        }
    }
    return QWidget::eventFilter(watched, event);
}

void JobPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    shareWidth();
}

void JobPage::shareWidth()
{
    if (m_is_arranged) {
        return;
    }
    const int all = std::max(0, m_columns->width() - m_columns->handleWidth());
    const int bands = std::clamp(all - m_table->neededWidth(), static_cast<int>(kLeastBands * all),
                                 static_cast<int>(kBandsShare * all));
    m_columns->setSizes({bands, all - bands});
}

} // namespace tidemark::ui
