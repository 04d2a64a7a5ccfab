// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/compare/compare_tables.h"

#include "ui/models/language.h"
#include "ui/models/text.h"
#include "ui/views/look/calm.h"
#include "ui/views/look/column_room.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/tree.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QStyle>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QTableView>
#include <QtWidgets/QTreeView>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr int kPlaceColumn = 1; ///< Of the differences: takes what is left.
constexpr int kEvidenceColumn = 5; ///< Of what is explained.

QVBoxLayout* makeTableColumn(QWidget* widget)
{
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    return column;
}

/// Along the largest difference of each module, and all of a few.
void unfoldModules(QTreeView& tree)
{
    constexpr int kFew = 30;
    const QAbstractItemModel& model = *tree.model();
    int rows = model.rowCount();
    for (int i = 0; i < model.rowCount() && rows < kFew; ++i) {
        QModelIndex index = model.index(i, 0);
        while (index.isValid() && model.rowCount(index) > 0 && rows < kFew) {
            rows += model.rowCount(index);
            tree.expand(index);
            index = model.index(0, 0, index);
        }
    }
    fitColumns(tree, tree.width() / 2);
}

} // namespace

CompareTables::CompareTables(QWidget* parent)
    : QWidget(parent)
    , m_tabs(new QTabBar(this))
    , m_choice(new Calm<ChipCombo>(this))
    , m_choice_title(new QLabel(tr("compared at"), this))
    , m_pages(new QStackedWidget(this))
    , m_filters(new QButtonGroup(this))
{
    setObjectName(QStringLiteral("compareTables"));
    m_tabs->setObjectName(QStringLiteral("compareTabs"));
    m_tabs->setExpanding(false);
    for (const QString& title :
         {tr("Differences"), tr("Explained"), tr("Stacks"), tr("Model"), tr("Steps"), tr("Fixes"),
          tr("Prediction"), tr("Settings"), tr("Allocator"), tr("All runs")}) {
        m_tabs->addTab(title);
    }
    auto* head = new QHBoxLayout;
    head->addWidget(m_tabs, 1);
    m_choice_title->setProperty("kind", QStringLiteral("secondary"));
    head->addWidget(m_choice_title);
    m_choice->setObjectName(QStringLiteral("momentChoice"));
    m_choice->setAccessibleName(tr("Moments to compare"));
    head->addWidget(m_choice);
    QVBoxLayout* const column = makeTableColumn(this);
    column->addLayout(head);
    column->addWidget(m_pages, 1);

    m_pages->addWidget(makeDifferences());
    m_changes_table = addPage(QStringLiteral("compareChanges"), explained, m_changes);
    m_stacks = new CompareStacks(m_pages);
    m_pages->addWidget(m_stacks);
    m_modules_tree = makeTree(m_pages, QStringLiteral("compareModules"), m_modules);
    m_modules_tree->setAccessibleName(m_tabs->tabText(modules));
    m_pages->addWidget(m_modules_tree);
    m_steps_table = addPage(QStringLiteral("compareSteps"), steps, m_steps);
    m_fixes_table = addPage(QStringLiteral("compareFixes"), fixes, m_fixes);
    m_prediction_table = addPage(QStringLiteral("comparePrediction"), prediction, m_prediction);
    m_settings_table = addPage(QStringLiteral("compareSettings"), settings, m_settings);
    m_allocator_table = addPage(QStringLiteral("compareAllocator"), allocator, m_allocator);
    m_runs_table = addPage(QStringLiteral("compareRuns"), all_runs, m_all_runs);
    m_tabs->setTabVisible(all_runs, false);
    m_prediction_words =
        makeSecondaryText(m_pages->widget(prediction), QStringLiteral("comparePredictionWords"));
    m_prediction_words->setAlignment(Qt::AlignTop);
    qobject_cast<QVBoxLayout*>(m_pages->widget(prediction)->layout())
        ->insertWidget(0, m_prediction_words);
    m_changes_words =
        makeSecondaryText(m_pages->widget(explained), QStringLiteral("compareChangesWords"));
    m_pages->widget(explained)->layout()->addWidget(m_changes_words);
    m_allocator_words =
        makeSecondaryText(m_pages->widget(allocator), QStringLiteral("compareAllocatorWords"));
    m_pages->widget(allocator)->layout()->addWidget(m_allocator_words);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        m_pages->setCurrentIndex(index);
        lookCloser();
    });
    connect(m_stacks, &CompareStacks::callChosen, this, &CompareTables::callChosen);
    connect(m_runs_table, &QTableView::activated, this, [this](const QModelIndex& row) {
        Q_EMIT runChosen(m_all_runs.table().rows[static_cast<std::size_t>(row.row())].source);
    });
    connect(m_choice, &QComboBox::activated, this, [this](int index) {
        m_moment = m_moments[static_cast<std::size_t>(index)];
        Q_EMIT momentChosen();
    });
}

QTableView* CompareTables::addPage(const QString& name, Tab tab, RowsModel& model)
{
    auto* page = new QWidget(m_pages);
    makeTableColumn(page);
    m_pages->addWidget(page);
    return addTable(page, name, tab, model);
}

/// What takes longer is found when somebody looks at it.
void CompareTables::lookCloser()
{
    const bool is_seen =
        tab() == modules || tab() == steps || tab() == fixes || tab() == prediction;
    if (!is_seen || m_runs == nullptr || m_has_details) {
        return;
    }
    m_has_details = true;
    m_is_looking = true;
    m_job.start(
        this,
        [compared = m_runs](const std::stop_token& stop) { return detailsOf(*compared, stop); },
        [this](const std::shared_ptr<ComparisonDetails>& details) {
            m_is_looking = false;
            showDetails(*details);
        });
}

void CompareTables::showDetails(const ComparisonDetails& details)
{
    m_modules.setContent(std::make_shared<const ModuleDifferences>(details.modules));
    unfoldModules(*m_modules_tree);
    m_steps.setTable(details.steps);
    fitColumns(*m_steps_table, kPlaceColumn);
    m_fixes.setTable(details.fixes);
    fitColumns(*m_fixes_table, 0);
    const PredictionBeside& beside = details.prediction;
    m_prediction.setTable(beside.table);
    const bool is_predicted = m_prediction.rowCount() > 0;
    m_prediction_table->setVisible(is_predicted);
    if (is_predicted) {
        fitColumns(*m_prediction_table, 0);
    }
    m_prediction_words->setText(
        is_predicted ? beside.words : tr("No prediction: none of the changes can be predicted."));
}

void CompareTables::setRuns(const std::vector<NamedRun>& all)
{
    constexpr std::size_t kSeveral = 3;
    m_tabs->setTabVisible(all_runs, all.size() >= kSeveral);
    fitHead();
    m_all_runs.setTable(all.size() >= kSeveral ? runsTable(all) : TextTable());
    if (all.size() >= kSeveral) {
        fitColumns(*m_runs_table, 0);
    }
}

QTableView* CompareTables::addTable(QWidget* page, const QString& name, Tab tab, RowsModel& model)
{
    QTableView* const table = makeTable(page, name, m_tabs->tabText(tab), model);
    page->layout()->addWidget(table);
    return table;
}

void CompareTables::setResult(std::shared_ptr<const ComparedRuns> runs)
{
    const bool same_runs =
        m_runs != nullptr && m_runs->base == runs->base && m_runs->against == runs->against;
    m_runs = std::move(runs);
    m_moment = m_runs->moment;
    if (!same_runs) {
        fillMoments();
    }
    const auto shown = std::ranges::find_if(m_moments, [this](const ComparedMoment& moment) {
        return moment.at == m_moment.at && moment.phase == m_moment.phase;
    });
    const QSignalBlocker blocker(m_choice);
    m_choice->setCurrentIndex(
        shown == m_moments.end() ? -1 : static_cast<int>(shown - m_moments.begin()));
    refresh();
    m_job.cancel();
    m_is_looking = false;
    m_has_details = false;
    m_stacks->setResult(m_runs);
    lookCloser();
}

void CompareTables::clear()
{
    m_runs.reset();
    m_moment = {};
    m_moments.clear();
    m_choice->clear();
    m_job.cancel();
    m_is_looking = false;
    m_has_details = false;
    m_pins.clear();
    m_stacks->clear();
    for (RowsModel* model :
         {&m_places, &m_changes, &m_settings, &m_allocator, &m_steps, &m_fixes, &m_prediction}) {
        model->setTable({});
    }
    m_modules.setContent(nullptr);
    m_changes_words->clear();
    m_allocator_words->clear();
}

void CompareTables::fillMoments()
{
    const QString a = m_runs->base.letter;
    const QString b = m_runs->against.letter;
    const QSignalBlocker blocker(m_choice);
    m_choice->clear();
    m_moments.clear();
    const auto add = [this](const QString& words, ComparedMoment moment) {
        m_choice->addItem(words);
        m_moments.push_back(moment);
    };
    add(tr("the peaks"), {compare::At::peaks});
    add(tr("%1's peak, same place in %2").arg(a, b), {compare::At::peak_a});
    add(tr("%1's peak, same place in %2").arg(b, a), {compare::At::peak_b});
    for (const label::Phase phase :
         {label::Phase::forward, label::Phase::backward, label::Phase::optimizer,
          label::Phase::evaluation, label::Phase::inference}) {
        if (largestIn(m_runs->base, phase) && largestIn(m_runs->against, phase)) {
            add(tr("the peak of %1").arg(inSentence(text(label::phaseName(phase)))),
                {compare::At::events, phase});
        }
    }
    add(tr("the cursor"), {compare::At::events});
    add(tr("the start"), {compare::At::start});
    add(tr("the end"), {compare::At::end});
    fitHead();
}

void CompareTables::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitHead();
    fitDifferences();
}

/// Where there is little room all tabs come first, then the list of moments, then its title.
void CompareTables::fitHead()
{
    constexpr int kLeast = 120;
    m_choice->setMaximumWidth(QWIDGETSIZE_MAX);
    const int rest = width() - m_tabs->sizeHint().width()
        - 2 * m_tabs->style()->pixelMetric(QStyle::PM_LayoutHorizontalSpacing, nullptr, this);
    const int wanted = m_choice->sizeHint().width();
    m_choice_title->setVisible(rest >= wanted + m_choice_title->sizeHint().width());
    m_choice->setMaximumWidth(std::clamp(rest, kLeast, std::max(kLeast, wanted)));
}

void CompareTables::refresh()
{
    refreshDifferences();
    countChips();
    m_changes.setTable(changesTable(*m_runs));
    fitColumns(*m_changes_table, kEvidenceColumn);
    QStringList open;
    for (const compare::Sentence& sentence : m_runs->difference.sentences) {
        if (sentence.says == compare::Says::open || sentence.says == compare::Says::torch) {
            open << text(sentence.text);
        }
    }
    m_changes_words->setText(open.join(u'\n'));
    m_changes_words->setVisible(!open.isEmpty());
    m_settings.setTable(settingsTable(*m_runs));
    fitColumns(*m_settings_table, -1);
    // Values may be long, such as the whole of an environment variable.
    for (int i = 1; i < m_settings.columnCount(); ++i) {
        m_settings_table->horizontalHeader()->setSectionResizeMode(i, QHeaderView::Stretch);
    }
    m_allocator.setTable(allocatorTable(*m_runs));
    fitColumns(*m_allocator_table, -1);
    m_allocator_words->setText(text(m_runs->difference.allocator.sentence));
    m_allocator_words->setVisible(!m_runs->difference.allocator.sentence.empty());
}

void CompareTables::showTab(Tab tab)
{
    m_tabs->setCurrentIndex(tab);
}

void CompareTables::stepTab(int by)
{
    int next = m_tabs->currentIndex();
    do {
        next = (next + by + m_tabs->count()) % m_tabs->count();
    } while (!m_tabs->isTabVisible(next));
    m_tabs->setCurrentIndex(next);
}

QStringList CompareTables::tabNames()
{
    return {QStringLiteral("differences"), QStringLiteral("explained"), QStringLiteral("stacks"),
            QStringLiteral("model"),       QStringLiteral("steps"),     QStringLiteral("fixes"),
            QStringLiteral("prediction"),  QStringLiteral("settings"),  QStringLiteral("allocator"),
            QStringLiteral("runs")};
}

bool CompareTables::showTab(const QString& name)
{
    const auto tab = static_cast<int>(tabNames().indexOf(name));
    if (tab < 0 || !m_tabs->isTabVisible(tab)) {
        return false;
    }
    showTab(static_cast<Tab>(tab));
    return true;
}

CompareTables::Tab CompareTables::tab() const
{
    return static_cast<Tab>(m_tabs->currentIndex());
}

void CompareTables::selectRow(QTableView& table, const RowsModel& model, std::size_t source)
{
    const int row = model.rowOf(source);
    if (row >= 0) {
        table.setCurrentIndex(model.index(row, 0));
        table.selectRow(row);
    }
}

void CompareTables::showPlace(std::size_t index)
{
    showTab(differences);
    if (m_places.rowOf(index) < 0) {
        setFilter(PlaceFilter::differing);
    }
    selectRow(*m_places_table, m_places, index);
}

void CompareTables::showChange(std::size_t index)
{
    showTab(explained);
    selectRow(*m_changes_table, m_changes, index);
}

void CompareTables::showUnexplained()
{
    showChange(kUnexplainedSource);
}

void CompareTables::showEqual()
{
    showTab(differences);
    setFilter(PlaceFilter::equal);
}

} // namespace tidemark::ui
