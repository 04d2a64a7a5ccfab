// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/analysis_page.h"

#include "ui/models/band_grouping.h"
#include "ui/models/source_places.h"
#include "ui/models/trial.h"
#include "ui/views/look/pieces.h"
#include "ui/views/memory_map/memory_map_panel.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/panels/bookmarks_panel.h"
#include "ui/views/panels/corrections_panel.h"
#include "ui/views/panels/cursor_panel.h"
#include "ui/views/panels/events_panel.h"
#include "ui/views/panels/evidence_panel.h"
#include "ui/views/panels/fixes_panel.h"
#include "ui/views/panels/model_panel.h"
#include "ui/views/panels/range_panel.h"
#include "ui/views/panels/simulate_panel.h"
#include "ui/views/panels/stack_panel.h"
#include "ui/views/panels/stacks_panel.h"
#include "ui/views/panels/steps_panel.h"
#include "ui/views/panels/verdict_card.h"
#include "ui/views/panels/what_if_panel.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/table_panels.h"

#include <QtWidgets/QApplication>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QStyle>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr int kLayoutVersion = 2; ///< Those of version 1 were saved with squeezed panels.
constexpr int kPageMargin = 14;
constexpr int kPageGap = 10;

/// The panel's content in a card.
QWidget* carded(QWidget* content)
{
    QFrame* card = makeCard(nullptr, content->objectName() + QStringLiteral("Card"));
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(14, 10, 14, 10);
    column->addWidget(content);
    return card;
}

} // namespace

AnalysisPage::AnalysisPage(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_docks(new QMainWindow(this))
    , m_trial(new Trial(state, this))
    , m_sources(new SourcePlaces(this))
{
    setObjectName(QStringLiteral("analysisPage"));
    setAttribute(Qt::WA_StyledBackground);
    m_docks->setObjectName(QStringLiteral("docks"));
    m_docks->setWindowFlags(Qt::Widget); // A part of this page; the constructor made it a window.
    m_docks->setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks
                            | QMainWindow::GroupedDragging);
    m_docks->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    m_docks->setDocumentMode(true);
    m_docks->setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    m_docks->setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kPageMargin, 12, kPageMargin, 12);
    column->setSpacing(kPageGap);
    column->addWidget(makeVerdictRow());
    column->addWidget(m_docks, 1);
    makeTimeline();
    makePanels();
}

QWidget* AnalysisPage::makeVerdictRow()
{
    m_verdict_row = new QWidget(this);
    auto* row = new QHBoxLayout(m_verdict_row);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kPageGap);
    auto* verdict = new VerdictCard(m_state, m_verdict_row);
    m_fix_card = new FixCard(m_state, m_verdict_row);
    FixCard* const fix = m_fix_card;
    row->addWidget(verdict, 3);
    row->addWidget(fix, 2);
    connect(verdict, &VerdictCard::evidenceRequested, this,
            [this] { showPanel(QStringLiteral("evidence")); });
    connect(fix, &FixCard::allFixesRequested, this, [this] { showPanel(QStringLiteral("fixes")); });
    connect(fix, &FixCard::copied, this, &AnalysisPage::copied);
    connect(fix, &FixCard::tryRequested, this, [this](const QString& title, const QString& apply) {
        m_trial->setApplyText(title, apply);
        showPanel(QStringLiteral("whatif"));
    });
    return m_verdict_row;
}

void AnalysisPage::makeTimeline()
{
    QFrame* card = makeCard(m_docks, QStringLiteral("timelineCard"));
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(14, 10, 12, 8);
    m_timeline = new TimelineView(m_state, card);
    m_timeline->setObjectName(QStringLiteral("timeline"));
    column->addWidget(m_timeline);
    m_docks->setCentralWidget(card);
}

void AnalysisPage::makePanels()
{
    auto* cursor = new CursorPanel(m_state);
    m_fixes = new FixesPanel(m_state, *m_trial);
    auto* what_if = new WhatIfPanel(m_state, *m_trial);
    auto* evidence = new EvidencePanel(m_state);
    m_allocations = new AllocationsPanel(m_state);
    AllocationsPanel* const allocations = m_allocations;
    auto* memory_map = new MemoryMapPanel(m_state);
    auto* stack = new StackPanel(m_state, *m_sources);
    auto* stacks = new StacksPanel(m_state);
    auto* events = new EventsPanel(m_state);
    auto* buckets = new BucketsPanel(m_state);
    m_model = new ModelPanel(m_state);
    auto* steps = new StepsPanel(m_state);
    auto* range = new RangePanel(m_state);
    m_corrections = new CorrectionsPanel(m_state);
    m_bookmarks = new BookmarksPanel(m_state);
    m_simulate = new SimulatePanel(m_state);
    auto* file = new FilePanel(m_state);
    QDockWidget* at_cursor =
        addPanel(QStringLiteral("cursor"), tr("At Cursor"), cursor, cursor->title());
    m_docks->addDockWidget(Qt::RightDockWidgetArea, at_cursor);
    QDockWidget* first = addPanel(QStringLiteral("fixes"), tr("Fixes"), m_fixes);
    m_docks->addDockWidget(Qt::BottomDockWidgetArea, first);
    const std::vector<std::tuple<QString, QString, QWidget*>> others{
        {QStringLiteral("whatif"), tr("What If"), what_if},
        {QStringLiteral("evidence"), tr("Evidence"), evidence},
        {QStringLiteral("allocations"), tr("Allocations"), allocations},
        {QStringLiteral("memory"), tr("Memory Map"), memory_map},
        {QStringLiteral("stacks"), tr("Stacks"), stacks},
        {QStringLiteral("stack"), tr("Stack"), stack},
        {QStringLiteral("events"), tr("Events"), events},
        {QStringLiteral("buckets"), tr("Buckets"), buckets},
        {QStringLiteral("model"), tr("Model"), m_model},
        {QStringLiteral("steps"), tr("Steps"), steps},
        {QStringLiteral("range"), tr("Range"), range},
        {QStringLiteral("simulate"), tr("Simulate"), m_simulate},
        {QStringLiteral("corrections"), tr("Corrections"), m_corrections},
        {QStringLiteral("bookmarks"), tr("Bookmarks"), m_bookmarks},
        {QStringLiteral("file"), tr("File"), file},
    };
    for (const auto& [name, title, content] : others) {
        m_docks->tabifyDockWidget(first, addPanel(name, title, content));
    }
    first->raise();
    const auto show_stack = [this] { showPanel(QStringLiteral("stack")); };
    connect(cursor, &CursorPanel::stackRequested, this, show_stack);
    connect(allocations, &AllocationsPanel::stackRequested, this, show_stack);
    connect(memory_map, &MemoryMapPanel::stackRequested, this, show_stack);
    connect(&m_timeline->plot(), &TimelinePlot::stackRequested, this, show_stack);
    connect(cursor, &CursorPanel::menuRequested, this, &AnalysisPage::menuRequested);
    connect(allocations, &AllocationsPanel::menuRequested, this, &AnalysisPage::menuRequested);
    connect(memory_map, &MemoryMapPanel::menuRequested, this, &AnalysisPage::menuRequested);
    connect(&m_timeline->plot(), &TimelinePlot::menuRequested, this, &AnalysisPage::menuRequested);
    connect(stacks, &StacksPanel::stackRequested, this, show_stack);
    connect(events, &EventsPanel::stackRequested, this, show_stack);
    connect(stacks, &StacksPanel::copied, this, &AnalysisPage::copied);
    connect(allocations, &AllocationsPanel::copied, this, &AnalysisPage::copied);
    connect(stacks, &StacksPanel::filterRequested, this, [this, allocations](const QString& words) {
        allocations->setFilter(words);
        showPanel(QStringLiteral("allocations"));
    });
    connect(stack, &StackPanel::failed, this, &AnalysisPage::failed);
    connect(stack, &StackPanel::relabelRequested, this, &AnalysisPage::relabelRequested);
    const auto show_stack_of = [show_stack, stack](const QString& title, quint32 id) {
        stack->showStack(title, StackId(std::uint32_t{id}));
        show_stack();
    };
    connect(evidence, &EvidencePanel::stackRequested, this, show_stack_of);
    const auto show = [this](const char* name) {
        return [this, panel = QString::fromLatin1(name)] { showPanel(panel); };
    };
    connect(evidence, &EvidencePanel::blockRequested, this, show("allocations"));
    connect(evidence, &EvidencePanel::mapRequested, this, show("memory"));
    connect(evidence, &EvidencePanel::moduleRequested, this, [this] {
        m_model->showSelected();
        showPanel(QStringLiteral("model"));
    });
    connect(range, &RangePanel::stackRequested, this, show_stack_of);
    connect(m_model, &ModelPanel::stackRequested, this, show_stack);
    connect(steps, &StepsPanel::stackRequested, this, show_stack_of);
    connect(&m_state, &ViewState::selectedRangeChanged, this, [this] {
        if (m_state.selectedRange()) {
            showPanel(QStringLiteral("range"));
        }
    });
    connect(evidence, &EvidencePanel::inputChanged, this, &AnalysisPage::inputChanged);
    connect(m_fixes, &FixesPanel::copied, this, &AnalysisPage::copied);
    connect(what_if, &WhatIfPanel::copied, this, &AnalysisPage::copied);
    connect(m_fixes, &FixesPanel::whatIfRequested, this,
            [this] { showPanel(QStringLiteral("whatif")); });
    updateTitles();
}

QDockWidget* AnalysisPage::addPanel(const QString& name, const QString& title, QWidget* content,
                                    QLabel* title_label)
{
    auto* dock = new QDockWidget(title, m_docks);
    dock->setObjectName(name + QStringLiteral("Dock"));
    dock->setWidget(carded(content));
    hideWithTab(*dock, *content);
    auto* frame = new QFrame(dock);
    frame->setProperty("panelTitle", true);
    frame->setToolTip(tr("Drag to move; double-click to detach or dock"));
    auto* row = new QHBoxLayout(frame);
    row->setContentsMargins(14, 9, 14, 0);
    if (title_label == nullptr) {
        title_label = new QLabel(title, frame);
        title_label->setFont(headingFont(*this, 1.0));
    }
    row->addWidget(title_label);
    m_panels.push_back({name, dock, frame, new QWidget(dock)});
    // A panel among tabs has its title there; on its own it needs one to be taken by.
    const auto update = [this] { updateTitles(); };
    connect(dock, &QDockWidget::topLevelChanged, this, update, Qt::QueuedConnection);
    connect(dock, &QDockWidget::dockLocationChanged, this, update, Qt::QueuedConnection);
    connect(dock, &QDockWidget::visibilityChanged, this, update, Qt::QueuedConnection);
    return dock;
}

/// Qt only moves the tabs that are not in front out of sight: their widgets would still take the
/// focus, keys and mnemonics. Hidden they do not, and keep the room they need when they are back.
void AnalysisPage::hideWithTab(QDockWidget& dock, QWidget& content)
{
    QSizePolicy policy = content.sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    content.setSizePolicy(policy);
    connect(&dock, &QDockWidget::visibilityChanged, &content, [this, &content](bool visible) {
        const QWidget* focus = QApplication::focusWidget();
        if (!visible && focus != nullptr && content.isAncestorOf(focus)) {
            m_timeline->plot().setFocus(); // Not to whatever comes next.
        }
        content.setVisible(visible);
    });
}

void AnalysisPage::updateTitles()
{
    for (const Panel& panel : m_panels) {
        const bool is_tab =
            !panel.dock->isFloating() && !m_docks->tabifiedDockWidgets(panel.dock).isEmpty();
        QWidget* wanted = is_tab ? panel.no_title : panel.title;
        if (panel.dock->titleBarWidget() == wanted) {
            continue;
        }
        panel.dock->setTitleBarWidget(wanted);
        (is_tab ? panel.title : panel.no_title)->hide();
        wanted->show();
        QWidget* card = panel.dock->widget();
        card->setProperty("headed", !is_tab);
        card->layout()->setContentsMargins(14, is_tab ? 10 : 4, 14, 10);
        card->style()->unpolish(card);
        card->style()->polish(card);
    }
}

void AnalysisPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (!m_is_laid_out) {
        m_is_laid_out = true;
        layOut();
        // Again once the contents have their sizes.
        QMetaObject::invokeMethod(this, &AnalysisPage::layOut, Qt::QueuedConnection);
    }
}

/// Panels as they were saved, else as they are at first.
void AnalysisPage::layOut()
{
    if (m_saved_layout.isEmpty() || !m_docks->restoreState(m_saved_layout, kLayoutVersion)) {
        resetLayout();
    }
}

bool AnalysisPage::event(QEvent* event)
{
    const bool is_done = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest) {
        fitMinimum();
    }
    return is_done;
}

/// The narrower the page, the more lines the verdict takes, of which a window's own minimum knows
/// nothing: the panels would lie over each other.
void AnalysisPage::fitMinimum()
{
    if (isVisible()) { // Hidden it has no width yet.
        // With the verdict hidden nothing depends on the width.
        setMinimumHeight(layout()->hasHeightForWidth()
                             ? layout()->totalMinimumHeightForWidth(width())
                             : layout()->totalMinimumSize().height());
    }
}

bool AnalysisPage::isSmall() const
{
    return height() < fontMetrics().height() * 48;
}

void AnalysisPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_fix_card->setCompact(isSmall());
    fitMinimum();
}

void AnalysisPage::resetLayout()
{
    // Of the page, not of what the verdict leaves: that grows when the diagnosis is there.
    const int bottom = std::clamp(height() * (isSmall() ? 27 : 32) / 100, 150, 400);
    const int right = std::clamp(width() * 20 / 100, 324, 400);
    m_docks->resizeDocks({dockOf(QStringLiteral("cursor"))}, {right}, Qt::Horizontal);
    m_docks->resizeDocks({dockOf(QStringLiteral("fixes"))}, {bottom}, Qt::Vertical);
}

bool AnalysisPage::isBusy() const
{
    return m_trial->isComputing() || m_simulate->isBusy() || m_allocations->isBusy()
        || m_timeline->grouper().isBusy();
}

QStringList AnalysisPage::panelNames() const
{
    QStringList names;
    for (const Panel& panel : m_panels) {
        names << panel.name;
    }
    return names;
}

std::vector<QAction*> AnalysisPage::panelActions() const
{
    std::vector<QAction*> actions;
    for (const Panel& panel : m_panels) {
        actions.push_back(panel.dock->toggleViewAction());
    }
    return actions;
}

QDockWidget* AnalysisPage::dockOf(const QString& name) const
{
    const auto panel = std::ranges::find(m_panels, name, &Panel::name);
    return panel == m_panels.end() ? nullptr : panel->dock;
}

bool AnalysisPage::showPanel(const QString& name)
{
    QDockWidget* dock = dockOf(name);
    if (dock == nullptr) {
        return false;
    }
    dock->show();
    dock->raise();
    // The budget is a long table; the others need less.
    const int wanted = std::clamp(height() * 42 / 100, 150, 380);
    if (name == QStringLiteral("whatif") && !dock->isFloating() && dock->height() < wanted) {
        m_docks->resizeDocks({dock}, {wanted}, Qt::Vertical);
    }
    return true;
}

bool AnalysisPage::showOnly(const QString& name)
{
    const bool is_timeline = name == QStringLiteral("timeline");
    const bool has_curve = name == QStringLiteral("whatif"); // Half of its answer lies there.
    if (!is_timeline && dockOf(name) == nullptr) {
        return false;
    }
    m_verdict_row->hide();
    for (const Panel& panel : m_panels) {
        panel.dock->setVisible(panel.name == name);
    }
    m_docks->centralWidget()->setVisible(is_timeline || has_curve);
    if (!is_timeline && !has_curve) {
        // Docks keep their size when what is beside them goes: the panel gets all of it.
        layout()->activate();
        m_docks->resizeDocks({dockOf(name)}, {m_docks->height()}, Qt::Vertical);
        m_docks->resizeDocks({dockOf(name)}, {m_docks->width()}, Qt::Horizontal);
    }
    return !has_curve || showPanel(name);
}

QByteArray AnalysisPage::saveLayout() const
{
    return m_is_laid_out ? m_docks->saveState(kLayoutVersion) : m_saved_layout;
}

void AnalysisPage::restoreLayout(const QByteArray& layout)
{
    m_saved_layout = layout;
    if (m_is_laid_out) {
        layOut();
    }
}

} // namespace tidemark::ui
