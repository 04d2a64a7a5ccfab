// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/comparer.h"
#include "ui/models/comparison_tables.h"
#include "ui/models/rows_model.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <vector>

class QButtonGroup;
class QComboBox;
class QLabel;
class QStackedWidget;
class QTabBar;
class QTableView;

namespace tidemark::ui {

/// What differs, by what it is explained, what the runs were told, and how their allocators did, as
/// tables behind tabs; and which moments are held against each other.
class CompareTables : public QWidget {
    Q_OBJECT
public:
    enum Tab : int { differences, explained, settings, allocator };

    explicit CompareTables(QWidget* parent = nullptr);

    void setResult(std::shared_ptr<const ComparedRuns> runs);
    void clear();
    void showTab(Tab tab);
    [[nodiscard]] Tab tab() const;
    /// Shows the row of a place, of a change, and what is unexplained.
    void showPlace(std::size_t index);
    void showChange(std::size_t index);
    void showUnexplained();
    void showEqual();
    /// The next (previous) place by the size of its difference; from the last one the first.
    void stepPlace(int rows);
    [[nodiscard]] const ComparedMoment& moment() const
    {
        return m_moment;
    }

Q_SIGNALS:
    /// A row was selected: index of a place of the difference.
    void placeChosen(std::size_t index);
    /// Another moment is to be compared; with `At::events` and no phase the one of the cursors.
    void momentChosen();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitDifferences();
    QWidget* makeDifferences();
    QTableView* addTable(QWidget* page, const QString& name, Tab tab, RowsModel& model);
    void setFilter(PlaceFilter filter);
    void fillMoments();
    void refresh();
    void refreshDifferences();
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
    QTabBar* m_tabs;
    QComboBox* m_choice;
    QStackedWidget* m_pages;
    QButtonGroup* m_filters;
    QTableView* m_places_table = nullptr;
    QTableView* m_changes_table = nullptr;
    QTableView* m_settings_table = nullptr;
    QTableView* m_allocator_table = nullptr;
    QLabel* m_changes_words = nullptr; ///< What is not identified, and that torch is another one.
    QLabel* m_allocator_words = nullptr;
    QLabel* m_nothing = nullptr; ///< Where no place is listed.
};

} // namespace tidemark::ui
