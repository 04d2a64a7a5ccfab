// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "ui/models/allocation_groups_model.h"
#include "ui/models/allocation_list.h"
#include "ui/models/allocations_model.h"
#include "ui/models/newest_job.h"
#include "ui/models/view_state.h"
#include "ui/views/look/row_texts.h"

#include <QtCore/QTimer>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QWidget>

#include <array>
#include <cstdint>
#include <memory>

class QComboBox;
class QLabel;
class QMenu;
class QStackedWidget;
class QTableView;

namespace tidemark::ui {

class ColumnRoom;
class QueryEdit;

/// Allocations that live at the cursor, or those of the whole run: found by a query, sorted by any
/// column, one by one or in groups with their sums. What takes long is done beside the window and
/// can be stopped; what is shown stays until the new list is there.
class AllocationsPanel : public QWidget {
    Q_OBJECT
public:
    enum class Scope : std::uint8_t { cursor, run };

    explicit AllocationsPanel(ViewState& state, QWidget* parent = nullptr);
    void setFilter(const QString& words);
    [[nodiscard]] QString filter() const;
    void setScope(Scope scope);
    void setGroupBy(std::optional<query::GroupBy> by);
    /// Scope and chosen columns, for another start; empty or of another program: nothing changes.
    [[nodiscard]] QString savedChoices() const;
    void restoreChoices(const QString& saved);
    [[nodiscard]] Scope scope() const
    {
        return m_scope;
    }
    /// Whether a list is under way.
    [[nodiscard]] bool isBusy() const
    {
        return isVisible() && (m_is_stale || m_is_slow.isActive() || m_stop->isVisible());
    }

Q_SIGNALS:
    void stackRequested();
    /// A menu for the allocation that is selected now, at a place of the screen.
    void menuRequested(const QPoint& place);
    void copied(const QString& words); ///< What was copied, to be said.
    void editorRequested(const QString& file, int line);
    void listed(); ///< The list is that of the present request.

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeHead();
    void makeTables();
    void makeColumnsMenu();
    void makeCopyMenu();
    void showColumns();
    void refreshSoon();
    void refresh();
    void refreshLabels();
    [[nodiscard]] Result<AllocationRequest> request() const;
    void start(AllocationRequest request);
    void show(const AllocationRequest& request, Result<AllocationList>&& list);
    void showList(const AllocationRequest& request, AllocationList&& list);
    void say(const QString& words, bool is_error);
    void sayFound(const query::Sums& sums);
    void chooseSelected();
    void selectFiltered(const AllocationRequest& request);
    [[nodiscard]] std::int64_t matchesInRun() const;
    void sayUnread(const Error& error);
    void clearList();
    void selectRows();
    void selectGroup(const QModelIndex& index);
    void activateRow(const QModelIndex& index);
    void openGroup(int row);
    void showMenu(const QPoint& position);
    void copyRows(RowFormat format);
    [[nodiscard]] bool isGrouped() const;
    [[nodiscard]] QTableView& shownTable() const;

    ViewState& m_state;
    AllocationsModel m_model; // Before the tables that show them.
    AllocationGroupsModel m_groups;
    Scope m_scope = Scope::cursor;
    QToolButton* m_at_cursor;
    QToolButton* m_whole_run;
    QueryEdit* m_filter;
    QComboBox* m_group_by;
    QToolButton* m_columns;
    QToolButton* m_copy;
    QToolButton* m_stop;
    QLabel* m_summary;
    QStackedWidget* m_tables;
    QTableView* m_table;
    ColumnRoom* m_room = nullptr; ///< Of its columns.
    QTableView* m_groups_table;
    /// Columns that a person wants, by scope: bit i stands for column i.
    std::array<std::uint32_t, 2> m_wanted_columns;
    QTimer m_soon;
    QTimer m_is_slow;
    QTimer m_is_unread; ///< From the time on at which the query could not be read.
    bool m_is_stale = true;
    bool m_is_following = false; ///< The row follows what is selected, not the other way round.
    bool m_lists_none = false;
    QString m_selected_filter; ///< What was selected for a filter, and by which labels.
    std::shared_ptr<const label::Labels> m_selected_labels;
    std::shared_ptr<const query::AllocationTable> m_data;
    NewestJob m_job;
};

} // namespace tidemark::ui
