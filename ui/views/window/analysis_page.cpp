// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/analysis_page.h"

#include "ui/models/band_grouping.h"
#include "ui/models/selection.h"
#include "ui/models/source_places.h"
#include "ui/models/what_if_trial.h"
#include "ui/views/look/focus_parts.h"
#include "ui/views/look/pieces.h"
#include "ui/views/memory_map/memory_map_panel.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/panels/cursor_panel.h"
#include "ui/views/panels/model_panel.h"
#include "ui/views/panels/range_panel.h"
#include "ui/views/panels/simulate_panel.h"
#include "ui/views/panels/stacks_panel.h"
#include "ui/views/panels/steps_panel.h"
#include "ui/views/panels/verdict_card.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/drawer.h"
#include "ui/views/window/panel_table.h"

#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr int kLayoutVersion = 3; ///< Those before were states of docks.
constexpr int kPageMargin = 14;
constexpr int kPageGap = 10;
constexpr int kAnswerHeight = 96; ///< At most, so that the plot has the rest.
constexpr double kPlotShare = 0.45; ///< Of the window's height, at least.
constexpr double kDrawerShare = 0.36; ///< Of what plot and drawer have, until a person drags.
constexpr int kBesideWidth = 300; ///< At least, until a person drags.
constexpr double kBesideShare = 0.16;

/// The panel in a card under its title.
QWidget* carded(const QString& id, QLabel* title, QWidget* panel)
{
    QFrame* card = makeCard(nullptr, id + QStringLiteral("Card"));
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(14, 9, 14, 10);
    column->addWidget(title);
    column->addWidget(panel, 1);
    return card;
}

} // namespace

AnalysisPage::AnalysisPage(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_trial(new WhatIfTrial(state, this))
    , m_sources(new SourcePlaces(this))
    , m_answer(makeAnswer())
    , m_rows(new QSplitter(Qt::Vertical, this))
    , m_columns(new QSplitter(Qt::Horizontal, m_rows))
    , m_drawer(new Drawer(m_rows))
{
    setObjectName(QStringLiteral("analysisPage"));
    setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kPageMargin, 10, kPageMargin, 10);
    column->setSpacing(kPageGap);
    column->addWidget(m_answer);
    column->addWidget(m_rows, 1);
    for (QSplitter* split : {m_rows, m_columns}) {
        split->setChildrenCollapsible(false);
        split->setHandleWidth(kPageGap);
    }
    m_columns->setObjectName(QStringLiteral("plotColumns"));
    m_columns->addWidget(makeTimeline());
    m_rows->setStretchFactor(0, 1);
    m_rows->setStretchFactor(1, 0);
    makePanels();
    m_columns->setStretchFactor(0, 1);
    m_columns->setStretchFactor(1, 0);
    connect(m_rows, &QSplitter::splitterMoved, this, &AnalysisPage::keepShare);
    connect(m_columns, &QSplitter::splitterMoved, this,
            [this] { m_beside_width = m_columns->sizes().value(1); });
    connect(m_drawer, &Drawer::shownChanged, this, &AnalysisPage::shareHeight);
    connect(m_drawer, &Drawer::closeRequested, this, [this] { setPart(Part::drawer, false); });
    connect(&m_state, &ViewState::selectionChanged, this, [this] {
        if (m_state.selector().selection() == nullptr) {
            m_drawer->setPaneVisible(false); // It would be empty.
        }
    });
}

QWidget* AnalysisPage::makeAnswer()
{
    QFrame* card = makeCard(this, QStringLiteral("answerCard"));
    card->setMaximumHeight(kAnswerHeight);
    auto* row = new QHBoxLayout(card);
    row->setContentsMargins(16, 8, 16, 8);
    row->setSpacing(18);
    auto* verdict = new VerdictCard(m_state, *m_sources, card);
    auto* fix = new FixCard(m_state, card);
    row->addWidget(verdict, 4);
    row->addWidget(fix, 3);
    connect(verdict, &VerdictCard::evidenceRequested, this,
            [this] { showPanel(QStringLiteral("evidence")); });
    connect(verdict, &VerdictCard::correctionsRequested, this,
            [this] { showPanel(QStringLiteral("corrections")); });
    connect(verdict, &VerdictCard::stackRequested, this,
            [this] { showPanel(QStringLiteral("stack")); });
    connect(verdict, &VerdictCard::failed, this, &AnalysisPage::failed);
    connect(fix, &FixCard::allFixesRequested, this, [this] { showPanel(QStringLiteral("fixes")); });
    connect(fix, &FixCard::tryRequested, this, [this](const QString& title, const QString& apply) {
        m_trial->setApplyText(title, apply);
        showPanel(QStringLiteral("whatif"));
    });
    return card;
}

QWidget* AnalysisPage::makeTimeline()
{
    QFrame* card = makeCard(m_columns, QStringLiteral("timelineCard"));
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(14, 8, 12, 8);
    m_timeline = new TimelineView(m_state, card);
    m_timeline->setObjectName(QStringLiteral("timeline"));
    column->addWidget(m_timeline);
    connect(&m_timeline->plot(), &TimelinePlot::stackRequested, this,
            [this] { showPanel(QStringLiteral("stack")); });
    connect(&m_timeline->plot(), &TimelinePlot::menuRequested, this, &AnalysisPage::menuRequested);
    return card;
}

void AnalysisPage::makePanels()
{
    for (const PanelKind& kind : panelKinds()) {
        QWidget* const panel = kind.make(*this);
        if (kind.place != PanelPlace::beside) {
            m_drawer->addPanel(kind, tr(kind.title), panel);
            continue;
        }
        m_beside =
            carded(QString::fromLatin1(kind.id), qobject_cast<CursorPanel*>(panel)->title(), panel);
        m_columns->addWidget(m_beside);
    }
    connect(&m_state, &ViewState::selectedRangeChanged, this, [this] {
        if (m_state.selectedRange()) {
            showPanel(QStringLiteral("range"));
        }
    });
}

QString AnalysisPage::tabName() const
{
    const int tab = m_drawer->currentTab();
    return tab < 0 ? m_drawer->shownPanel()
                   : QString::fromLatin1(tabKinds()[static_cast<std::size_t>(tab)].id);
}

int AnalysisPage::plotFloor() const
{
    const int wanted = static_cast<int>(window()->height() * kPlotShare);
    const int room = m_rows->height() - m_rows->handleWidth()
        - (m_drawer->isVisible() ? m_drawer->minimumSizeHint().height() : 0);
    return std::max(m_columns->minimumSizeHint().height(), std::min(wanted, room));
}

/// What a person dragged is the share of the tab in front.
void AnalysisPage::keepShare()
{
    const int both = m_columns->height() + m_drawer->height();
    if (!m_is_sharing && both > 0) {
        m_shares[tabName()] = static_cast<double>(m_drawer->height()) / both;
    }
}

void AnalysisPage::shareHeight()
{
    const int both = m_rows->height() - m_rows->handleWidth();
    if (!m_drawer->isVisible() || both <= 0) {
        return;
    }
    m_is_sharing = true;
    m_columns->setMinimumHeight(plotFloor());
    const int drawer = std::clamp(static_cast<int>(both * m_shares.value(tabName(), kDrawerShare)),
                                  0, std::max(0, both - plotFloor()));
    m_rows->setSizes({both - drawer, drawer});
    m_is_sharing = false;
}

void AnalysisPage::shareWidth()
{
    const int beside = m_beside_width > 0
        ? m_beside_width
        : std::max(kBesideWidth, static_cast<int>(kBesideShare * m_columns->width()));
    m_columns->setSizes({std::max(1, m_columns->width() - beside), beside});
}

bool AnalysisPage::event(QEvent* event)
{
    const bool is_done = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest && isVisible()) {
        shareHeight();
    }
    return is_done;
}

void AnalysisPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (!m_was_shown) {
        m_was_shown = true;
        layout()->activate();
        shareWidth();
    }
}

void AnalysisPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layout()->activate();
    if (m_was_shown && m_beside_width == 0) {
        shareWidth();
    }
    shareHeight();
}

void AnalysisPage::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && event->modifiers() == Qt::NoModifier) {
        m_state.selector().clear();
        m_timeline->plot().setFocus();
        return;
    }
    QWidget::keyPressEvent(event);
}

void AnalysisPage::refreshVisible()
{
    const QWidget* const focus = QApplication::focusWidget();
    const bool is_alone = has(Part::plot_alone);
    m_answer->setVisible(!is_alone);
    m_beside->setVisible(!is_alone && has(Part::cursor));
    m_drawer->setVisible(!is_alone && has(Part::drawer));
    if (focus != nullptr && isAncestorOf(focus) && !focus->isVisible()) {
        m_timeline->plot().setFocus(); // Not to whatever comes next.
    }
    layout()->activate();
    shareHeight();
}

void AnalysisPage::setPart(Part part, bool on)
{
    if (has(part) != on) {
        m_parts[static_cast<std::size_t>(part)] = on;
        refreshVisible();
        Q_EMIT partsChanged();
    }
}

bool AnalysisPage::isBusy() const
{
    return m_trial->isComputing() || panel<SimulatePanel>().isBusy()
        || panel<AllocationsPanel>().isBusy() || m_timeline->grouper().isBusy()
        || m_state.selector().isBusy() || panel<StacksPanel>().isBusy()
        || panel<StepsPanel>().isBusy() || panel<ModelPanel>().isBusy()
        || panel<RangePanel>().isBusy() || panel<MemoryMapPanel>().isBusy()
        || m_timeline->plot().scene().isRefining();
}

QStringList AnalysisPage::panelNames()
{
    QStringList names;
    for (const PanelKind& kind : panelKinds()) {
        names << QString::fromLatin1(kind.id);
    }
    return names;
}

void AnalysisPage::showTab(int index)
{
    setPart(Part::plot_alone, false);
    setPart(Part::drawer, true);
    m_drawer->showTab(index);
}

void AnalysisPage::stepTab(int by)
{
    m_drawer->stepTab(by);
}

void AnalysisPage::stepPart(int by)
{
    std::vector<QWidget*> parts{&m_timeline->plot(), m_beside};
    for (QWidget* part : m_drawer->parts()) {
        parts.push_back(part);
    }
    parts.push_back(m_answer);
    stepFocus(std::move(parts), by);
}

bool AnalysisPage::showPanel(const QString& name)
{
    if (name == QStringLiteral("cursor")) {
        setPart(Part::plot_alone, false);
        setPart(Part::cursor, true);
        return true;
    }
    const QWidget* const focus = QApplication::focusWidget();
    const bool had_focus = focus != nullptr && m_drawer->isAncestorOf(focus);
    if (!m_drawer->showPanel(name)) {
        return false;
    }
    setPart(Part::plot_alone, false);
    setPart(Part::drawer, true);
    if (had_focus && !focus->isVisible()) {
        m_timeline->plot().setFocus();
    }
    return true;
}

bool AnalysisPage::showOnly(const QString& name)
{
    const bool is_timeline = name == QStringLiteral("timeline");
    const bool is_beside = name == QStringLiteral("cursor");
    const bool has_curve = name == QStringLiteral("whatif"); // Half of its answer is there.
    if (!is_timeline && !showPanel(name)) {
        return false;
    }
    m_answer->hide();
    m_columns->widget(0)->setVisible(is_timeline || has_curve);
    m_beside->setVisible(is_beside);
    m_columns->setVisible(is_timeline || is_beside || has_curve);
    m_drawer->setVisible(!is_timeline && !is_beside);
    m_drawer->setHeadVisible(has_curve);
    m_drawer->setPaneVisible(name == QStringLiteral("stack"));
    m_drawer->setPagesVisible(name != QStringLiteral("stack"));
    return true;
}

void AnalysisPage::setBadgeCount(const QWidget* panel, int count)
{
    m_drawer->setBadgeCount(panel, count);
}

void AnalysisPage::resetLayout()
{
    m_shares.clear();
    m_beside_width = 0;
    shareWidth();
    shareHeight();
}

QByteArray AnalysisPage::saveLayout() const
{
    QJsonObject shares;
    for (auto share = m_shares.begin(); share != m_shares.end(); ++share) {
        shares.insert(share.key(), share.value());
    }
    const QJsonObject layout{{QStringLiteral("version"), kLayoutVersion},
                             {QStringLiteral("shares"), shares},
                             {QStringLiteral("beside"), m_beside_width},
                             {QStringLiteral("drawer"), has(Part::drawer)},
                             {QStringLiteral("cursor"), has(Part::cursor)},
                             {QStringLiteral("shown"), m_drawer->shownPanel()}};
    return QJsonDocument(layout).toJson(QJsonDocument::Compact);
}

void AnalysisPage::restoreLayout(const QByteArray& layout)
{
    const QJsonObject saved = QJsonDocument::fromJson(layout).object();
    if (saved.value(QStringLiteral("version")).toInt() != kLayoutVersion) {
        return;
    }
    const QJsonObject shares = saved.value(QStringLiteral("shares")).toObject();
    for (const QString& tab : shares.keys()) {
        m_shares.insert(tab, std::clamp(shares.value(tab).toDouble(kDrawerShare), 0.0, 1.0));
    }
    m_drawer->showPanel(saved.value(QStringLiteral("shown")).toString());
    setPart(Part::drawer, saved.value(QStringLiteral("drawer")).toBool(true));
    setPart(Part::cursor, saved.value(QStringLiteral("cursor")).toBool(true));
    m_beside_width = std::max(0, saved.value(QStringLiteral("beside")).toInt());
    if (m_was_shown) {
        shareWidth();
    }
    shareHeight();
}

} // namespace tidemark::ui
