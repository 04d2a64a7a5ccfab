// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/comparer.h"
#include "ui/models/comparison_details.h"
#include "ui/models/comparison_tables.h"
#include "ui/models/newest_job.h"
#include "ui/models/rows_model.h"
#include "ui/views/compare/compare_stacks.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <vector>

class QButtonGroup;
class QComboBox;
class QLabel;
class QStackedWidget;
class QTabBar;
class QTableView;
class QTreeView;

namespace tidemark::ui {

/// What differs, by what it is explained, who holds it, where in the model and when, what would
/// help either run, how well that is known, what they were told, and how their allocators did,
/// behind tabs; and which moments are held against each other.
class CompareTables : public QWidget {
    Q_OBJECT
public:
    enum Tab : int {
        differences,
        explained,
        stacks,
        modules,
        steps,
        fixes,
        prediction, ///< What was predicted beside what was measured.
        settings,
        allocator,
        all_runs ///< Where there are three and more.
    };

    explicit CompareTables(QWidget* parent = nullptr);

    void setResult(std::shared_ptr<const ComparedRuns> runs);
    void clear();
    /// All runs that are open, for the table of three and more; the first is the base.
    void setRuns(const std::vector<NamedRun>& runs);
    void showTab(Tab tab);
    void stepTab(int by); ///< Round and round, of those that are there.
    /// Of the tabs, in their order: "differences", "explained", … They never change.
    [[nodiscard]] static QStringList tabNames();
    /// False where no tab has that name, or it has nothing to show.
    bool showTab(const QString& name);
    [[nodiscard]] Tab tab() const;
    /// Shows the row of a place, of a change, and what is unexplained.
    void showPlace(std::size_t index);
    void showChange(std::size_t index);
    void showUnexplained();
    void showEqual();
    /// Keeps the chosen place at the top of the list, or lets it go.
    void togglePin();
    [[nodiscard]] bool isBusy() const
    {
        return m_is_looking || m_stacks->isBusy();
    }
    [[nodiscard]] CompareStacks& stacksPage()
    {
        return *m_stacks;
    }
    /// The next (previous) place by the size of its difference; from the last one the first.
    void stepPlace(int rows);
    [[nodiscard]] const ComparedMoment& moment() const
    {
        return m_moment;
    }

Q_SIGNALS:
    /// A row was selected: index of a place of the difference.
    void placeChosen(std::size_t index);
    void placeLetGo(); ///< No row is selected any more.
    /// Another moment is to be compared; with `At::events` and no phase the one of the cursors.
    void momentChosen();
    /// The largest allocations of a chosen call; none where a run has no such call.
    void callChosen(AllocationId base, AllocationId against);
    void runChosen(std::size_t index); ///< Of several.

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitHead();
    void fitDifferences();
    QWidget* makeDifferences();
    QTableView* addTable(QWidget* page, const QString& name, Tab tab, RowsModel& model);
    void setFilter(PlaceFilter filter);
    void countChips();
    void fillMoments();
    void refresh();
    void refreshDifferences();
    QTableView* addPage(const QString& name, Tab tab, RowsModel& model);
    void lookCloser();
    void showDetails(const ComparisonDetails& details);
    void selectRow(QTableView& table, const RowsModel& model, std::size_t source);

    std::shared_ptr<const ComparedRuns> m_runs;
    ComparedMoment m_moment;
    std::vector<ComparedMoment> m_moments; ///< Of the list.
    PlaceFilter m_filter = PlaceFilter::differing;
    bool m_is_filling = false;
    RowsModel m_places;
    RowsModel m_changes;
    RowsModel m_settings;
    RowsModel m_allocator;
    ModuleDifferencesModel m_modules;
    RowsModel m_steps;
    RowsModel m_fixes;
    RowsModel m_prediction;
    RowsModel m_all_runs;
    QStringList m_pins;
    bool m_is_looking = false; ///< Details are being computed.
    bool m_has_details = false; ///< Those of the result, or they are on their way.
    QTabBar* m_tabs;
    QComboBox* m_choice;
    QLabel* m_choice_title;
    QStackedWidget* m_pages;
    QButtonGroup* m_filters;
    QTableView* m_places_table = nullptr;
    QTableView* m_changes_table = nullptr;
    QTableView* m_settings_table = nullptr;
    QTableView* m_allocator_table = nullptr;
    QLabel* m_changes_words = nullptr; ///< What is not identified, and that torch is another one.
    QLabel* m_allocator_words = nullptr;
    QLabel* m_nothing = nullptr; ///< Where no place is listed.
    CompareStacks* m_stacks = nullptr;
    QTreeView* m_modules_tree = nullptr;
    QTableView* m_steps_table = nullptr;
    QTableView* m_fixes_table = nullptr;
    QTableView* m_prediction_table = nullptr;
    QTableView* m_runs_table = nullptr;
    QLabel* m_prediction_words = nullptr;
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
