// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/comparer.h"
#include "ui/models/one_unit.h"
#include "ui/models/rows_model.h"
#include "ui/models/view_state.h"
#include "ui/views/look/item_delegate.h"

#include <QtCore/QTimer>
#include <QtWidgets/QWidget>

#include <memory>

class QLabel;
class QTableView;

namespace tidemark::ui {

/// Paints a bar from the middle of the last cell, to the right for more and to the left for less.
class BarDelegate : public ItemDelegate {
    Q_OBJECT
public:
    using ItemDelegate::ItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

/// Both runs under the mouse, or at the cursors: where that is, and bytes per bucket with their
/// difference; below, where both make what was chosen in the tables.
class CompareCursor : public QWidget {
    Q_OBJECT
public:
    CompareCursor(ViewState& base, ViewState& against, QWidget* parent = nullptr);
    void show(const ComparedRun& base, const ComparedRun& against);
    /// Lays the stacks of a place beside each other, below the bytes; a click unfolds the frames of
    /// libraries.
    void showStacks(std::shared_ptr<const ComparedRuns> runs, std::size_t place);
    void clearStacks();
    void clear();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fitTable();
    void fillStacks();
    void unfold(const QModelIndex& row);
    void showBars(); ///< Or not: the names of buckets come first.
    [[nodiscard]] bool isShowing() const
    {
        return m_base.hasDevice() && m_against.hasDevice() && m_has_runs;
    }
    void refresh();
    [[nodiscard]] QString placeText() const;

    ViewState& m_base;
    ViewState& m_against;
    ComparedRun m_base_run;
    ComparedRun m_against_run;
    bool m_has_runs = false;
    OneUnit m_unit;
    RowsModel m_rows;
    QLabel* m_title;
    QLabel* m_where;
    QTableView* m_table;
    RowsModel m_frames;
    std::shared_ptr<const ComparedRuns> m_runs; ///< Whose stacks are shown.
    std::size_t m_place = 0;
    bool m_shows_libraries = false;
    QLabel* m_stacks_title;
    QTableView* m_stacks;
    QTimer m_soon; ///< Follows the mouse at a bounded rate.
};

} // namespace tidemark::ui
