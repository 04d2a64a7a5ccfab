// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/stacks_panel.h"

#include "core/base/format.h"
#include "ui/models/numbers.h"
#include "ui/models/selection.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/tree.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QStandardItemModel>
#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <utility>
#include <vector>

namespace tidemark::ui {

StacksPanel::StacksPanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_moment(new ChipCombo(this))
    , m_callers(makeChip(this, tr("callers first")))
    , m_callees(makeChip(this, tr("allocating calls first")))
    , m_libraries(makeChip(this, tr("library frames")))
    , m_as_table(makeChip(this, tr("table")))
    , m_search(new QLineEdit(this))
    , m_words(makeSecondaryText(this, QStringLiteral("stacksWords")))
    , m_forms(new QStackedWidget(this))
    , m_icicle(new IcicleView(m_forms))
    , m_tree(makeTree(m_forms, QStringLiteral("stacksTree"), m_calls))
{
    setObjectName(QStringLiteral("stacksPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    auto* head = new QHBoxLayout;
    m_moment->setObjectName(QStringLiteral("stacksMoment"));
    m_moment->setAccessibleName(tr("Bytes to count"));
    m_moment->addItems({tr("live at the cursor"), tr("live at the peak"),
                        tr("allocated in the range"), tr("kept after the range"),
                        tr("growth in the range")});
    m_moment->setCurrentIndex(at_peak);
    m_moment->setFocusPolicy(Qt::StrongFocus); // the wheel changes nothing in passing
    m_moment->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_moment->setMinimumWidth(fontMetrics().averageCharWidth() * 12);
    head->addWidget(m_moment);
    auto* directions = new QButtonGroup(this);
    for (QToolButton* button : {m_callers, m_callees}) {
        button->setCheckable(true);
        directions->addButton(button);
        head->addWidget(button);
    }
    m_callers->setObjectName(QStringLiteral("stacksCallers"));
    m_callees->setObjectName(QStringLiteral("stacksCallees"));
    m_callers->setChecked(true);
    m_libraries->setObjectName(QStringLiteral("stacksLibraries"));
    m_libraries->setCheckable(true);
    m_libraries->setToolTip(tr("Show library frames, too"));
    head->addWidget(m_libraries);
    m_as_table->setObjectName(QStringLiteral("stacksAsTable"));
    m_as_table->setCheckable(true);
    m_as_table->setToolTip(tr("Show calls as a tree table instead of an icicle"));
    head->addWidget(m_as_table);
    m_search->setObjectName(QStringLiteral("stacksSearch"));
    m_search->setAccessibleName(tr("Find function, file or package"));
    m_search->setPlaceholderText(tr("Find function, file or package"));
    m_search->setClearButtonEnabled(true);
    m_search->setAcceptDrops(false);
    m_search->setMaximumWidth(300);
    m_search->setMinimumWidth(fontMetrics().averageCharWidth() * 12);
    head->addStretch(1);
    head->addWidget(m_search, 2);
    column->addLayout(head);
    column->addWidget(m_words);
    column->addWidget(makeForms(), 1);
    m_soon.setSingleShot(true);
    m_soon.setInterval(60);
    connect(&m_soon, &QTimer::timeout, this, &StacksPanel::refresh);
    connect(m_moment, &QComboBox::activated, this, &StacksPanel::refresh);
    connect(directions, &QButtonGroup::idClicked, this, &StacksPanel::refresh);
    connect(m_libraries, &QToolButton::clicked, this, &StacksPanel::refresh);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& words) {
        m_icicle->setSearch(words);
        updateWords();
    });
    connect(m_icicle, &IcicleView::chosenChanged, this, &StacksPanel::selectCall);
    connect(&m_state, &ViewState::selectionChanged, this, &StacksPanel::followSelection);
    connect(m_icicle, &IcicleView::zoomedChanged, this, &StacksPanel::updateWords);
    connect(m_icicle, &IcicleView::menuRequested, this, &StacksPanel::showMenu);
    connect(&m_state, &ViewState::deviceChanged, this, [this] {
        forget(); // What is clicked until the new tree is there would be of the old device.
        refresh();
    });
    connect(&m_state, &ViewState::labelsChanged, this, &StacksPanel::refresh);
    connect(&m_state, &ViewState::bucketsChanged, this, &StacksPanel::refreshSoon);
    connect(&m_state, &ViewState::selectedRangeChanged, this, &StacksPanel::refresh);
    connect(&m_state, &ViewState::cursorChanged, this, [this] {
        if (moment() == at_cursor) {
            refreshSoon();
        }
    });
    updateChoices();
}

QWidget* StacksPanel::makeForms()
{
    m_forms->addWidget(m_icicle);
    m_forms->addWidget(m_tree);
    m_tree->setAccessibleName(tr("Calls by bytes allocated"));
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_as_table, &QToolButton::toggled, this, [this](bool on) {
        m_forms->setCurrentWidget(on ? static_cast<QWidget*>(m_tree) : m_icicle);
        unfold();
    });
    // What is chosen in one form is chosen in the other.
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (row.isValid() && !m_is_filling) {
                    m_icicle->choose(m_calls.nodeOf(row));
                }
            });
    connect(m_tree, &QTreeView::activated, this, &StacksPanel::stackRequested);
    connect(m_tree, &QWidget::customContextMenuRequested, this,
            [this](const QPoint& place) { showMenu(m_tree->viewport()->mapToGlobal(place)); });
    return m_forms;
}

void StacksPanel::setTableShown(bool shown)
{
    m_as_table->setChecked(shown);
}

/// Down to the chosen call, else along the calls that hold most of what their caller holds.
void StacksPanel::unfold()
{
    if (m_forms->currentWidget() != m_tree || m_icicle->tree() == nullptr) {
        return;
    }
    m_is_filling = true;
    const auto& nodes = m_icicle->tree()->nodes;
    std::uint32_t node = m_icicle->chosen();
    if (node != 0) {
        m_tree->setCurrentIndex(m_calls.indexOfNode(node));
        m_tree->scrollTo(m_tree->currentIndex());
    } else {
        while (!nodes[node].children.empty()
               && 2 * nodes[nodes[node].children.front()].bytes > nodes[node].bytes) {
            node = nodes[node].children.front();
            m_tree->expand(m_calls.indexOfNode(node));
        }
    }
    fitColumns(*m_tree, std::max(200, width() / 2));
    m_is_filling = false;
}

void StacksPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void StacksPanel::refreshSoon()
{
    if (isVisible() && !m_soon.isActive()) {
        m_soon.start();
    }
}

/// Without a range nothing of it can be counted.
void StacksPanel::updateChoices()
{
    const bool has_range = m_state.hasDevice() && m_state.selectedRange();
    const auto* const items = qobject_cast<QStandardItemModel*>(m_moment->model());
    for (const int row : {allocated, kept, grown}) {
        items->item(row)->setEnabled(has_range);
        items->item(row)->setToolTip(
            has_range ? QString() : tr("Shift-drag on the timeline to select a range"));
    }
    if (!has_range && m_moment->currentIndex() >= allocated) {
        m_moment->setCurrentIndex(at_peak);
    }
}

StacksPanel::Moment StacksPanel::moment() const
{
    return static_cast<Moment>(m_moment->currentIndex());
}

curves::StackTreeRequest StacksPanel::request() const
{
    using Measure = curves::StackMeasure;
    curves::StackTreeRequest request;
    request.begins_at_callers = m_callers->isChecked();
    request.folds_libraries = !m_libraries->isChecked();
    request.buckets = m_state.visibleBuckets();
    const StateId state = moment() == at_cursor ? m_state.shownState() : m_state.replay().peak;
    request.range = m_state.selectedRange().value_or(Interval<StateId>{state, state});
    switch (moment()) {
    case at_cursor:
    case at_peak:
        request.range = {state, state};
        break;
    case allocated:
        request.measure = Measure::allocated;
        break;
    case kept:
        request.measure = Measure::kept;
        break;
    case grown:
        request.measure = Measure::grown;
        break;
    }
    return request;
}

void StacksPanel::refresh()
{
    updateChoices();
    if (!m_state.hasDevice() || !isVisible()) {
        return;
    }
    const diagnose::Analysis& analysis = m_state.analysis();
    const curves::StackTreeRequest request = this->request();
    m_job.start(
        this,
        [snapshot = analysis.snapshot, replay = analysis.replay, labels = analysis.labels,
         device = m_state.device(), request](const std::stop_token&) {
            return curves::stackTree(*snapshot, replay->devices[device], labels->devices[device],
                                     request);
        },
        [this, request](const std::shared_ptr<const curves::StackTree>& tree) {
            if (m_state.hasDevice()) {
                m_shown = request;
                showTree(tree);
            }
        });
}

void StacksPanel::forget()
{
    m_job.cancel();
    m_is_filling = true;
    m_calls.setTree(nullptr);
    m_is_filling = false;
    m_is_following = true;
    m_icicle->setTree(nullptr);
    m_is_following = false;
    m_words->clear();
}

void StacksPanel::showTree(const std::shared_ptr<const curves::StackTree>& tree)
{
    m_is_filling = true;
    m_calls.setTree(tree);
    m_is_filling = false;
    m_is_following = true;
    m_icicle->setTree(tree);
    m_is_following = false;
    followSelection();
    unfold();
    updateWords();
    Q_EMIT treeShown();
}

void StacksPanel::updateWords()
{
    const auto& tree = m_icicle->tree();
    if (tree == nullptr) {
        return;
    }
    const curves::StackNode& all = tree->nodes[0];
    if (all.bytes == 0) {
        m_words->setText(tr("Nothing allocated here."));
        return;
    }
    const curves::StackNode& first = tree->nodes[all.children.front()];
    const bool has_stacks = all.children.size() > 1 || !first.frame.isNone() || first.is_library;
    QString words = has_stacks
        ? tr("%1 in %Ln allocation, %2|"
             "%1 in %Ln allocations, %2",
             nullptr, plural(all.count))
              .arg(bytesText({all.bytes}), m_moment->currentText())
        : tr("%1 in %Ln allocation; no stacks recorded. Call "
             "_record_memory_history(stacks=\"python\").|%1 in %Ln allocations; no stacks "
             "recorded. Call _record_memory_history(stacks=\"python\").",
             nullptr, plural(all.count))
              .arg(bytesText({all.bytes}));
    if (!m_search->text().trimmed().isEmpty()) {
        words = tr("%1 · found: %2").arg(words, bytesText({m_icicle->matchedBytes()}));
    }
    if (m_icicle->zoomed() != 0) {
        words = tr("%1 · Backspace: back").arg(words);
    }
    m_words->setText(words);
}

/// All that the call allocated in the run is selected; the largest of what is counted in front.
void StacksPanel::selectCall()
{
    if (m_is_following || m_icicle->tree() == nullptr) {
        return;
    }
    const std::uint32_t node = m_icicle->chosen();
    if (node == 0) {
        m_state.selector().clear(Selection::From::frame);
        return;
    }
    const curves::StackNode& call = m_icicle->tree()->nodes[node];
    const diagnose::Analysis& analysis = m_state.analysis();
    m_is_following = true;
    m_state.select(call.largest);
    m_is_following = false;
    m_state.selector().find(Selection::From::frame, text(call.name),
                            [snapshot = analysis.snapshot, replay = analysis.replay,
                             labels = analysis.labels, device = m_state.device(), request = m_shown,
                             tree = m_icicle->tree(), node](const std::stop_token&) {
                                return curves::allocationsThrough(
                                    *snapshot, replay->devices[device], labels->devices[device],
                                    request, *tree, node);
                            });
}

/// Marks the calls of what is selected; chooses that of the one in front, unless it was a call that
/// was selected.
void StacksPanel::followSelection()
{
    const auto& tree = m_icicle->tree();
    const auto selection = m_state.selector().selection();
    if (tree == nullptr || m_is_following || !isVisible()) {
        return; // Where it is hidden, it is done when it is shown.
    }
    m_is_following = true;
    if (!selection || !m_state.hasDevice()) {
        m_icicle->setMarked({});
        m_icicle->choose(0);
    } else {
        const auto& stacks = m_state.replay().allocations.stack;
        std::vector<bool> marked(tree->nodes.size());
        // Of a million allocations there are a few thousand stacks.
        const std::size_t count = m_state.analysis().snapshot->stacks.stackCount();
        std::vector<bool> seen(count + 1);
        for (const AllocationId id : selection->ids) {
            const StackId stack = stacks[id.index()];
            const std::size_t at = stack.isNone() ? count : stack.index();
            if (!seen[at]) {
                seen[at] = true;
                for (std::uint32_t node = tree->endOf(stack); node != 0 && !marked[node];
                     node = tree->nodes[node].parent) {
                    marked[node] = true;
                }
            }
        }
        m_icicle->setMarked(std::move(marked));
        if (selection->from != Selection::From::frame && !m_state.selected().isNone()) {
            m_icicle->choose(tree->endOf(stacks[m_state.selected().index()]));
        }
    }
    m_is_following = false;
}

void StacksPanel::showMenu(const QPoint& place)
{
    const auto tree = m_icicle->tree();
    const std::uint32_t node = m_icicle->chosen();
    if (tree == nullptr) {
        return;
    }
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("stacksMenu"));
    const auto copy = [this](const QString& words, const QString& what) {
        QGuiApplication::clipboard()->setText(words);
        Q_EMIT copied(what);
    };
    if (node != 0) {
        menu.addAction(tr("Zoom to Call"), this, [this, node] { m_icicle->zoomTo(node); });
        menu.addAction(tr("Show Largest Stack"), this, &StacksPanel::stackRequested);
        const std::string& name = tree->nodes[node].name;
        // Of "model.py:41 Attention.forward" the function.
        const QString function = text(name.substr(name.rfind(' ') + 1));
        menu.addAction(tr("Filter Allocations"), this,
                       [this, function] { Q_EMIT filterRequested(function); });
        menu.addAction(tr("Copy Call Path"), this, [copy, tree, node] {
            copy(text(tree->folded(node)), tr("Call path copied."));
        });
        menu.addSeparator();
    }
    menu.addAction(tr("Copy Folded Stacks"), this, [copy, tree] {
        copy(text(curves::foldedStacks(*tree)), tr("Folded stacks copied."));
    });
    menu.exec(place);
}

} // namespace tidemark::ui
