// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/rank_table_model.h"

#include <QtWidgets/QFrame>

#include <memory>

class QLabel;
class QTabBar;
class QTableView;

namespace tidemark::ui {

/// What the ranks hold at the moment that decides, against their median rank or in bytes: buckets ×
/// ranks, and of many ranks a heat map with the outliers first.
class ElidedLabel;

class RankTable : public QFrame {
    Q_OBJECT
public:
    explicit RankTable(QWidget* parent = nullptr);

    void setJob(std::shared_ptr<const job::Job> job);
    [[nodiscard]] RankTableModel& model()
    {
        return m_model;
    }
    [[nodiscard]] QTableView& view()
    {
        return *m_view;
    }
    /// Pixels in which it does not scroll sideways.
    [[nodiscard]] int neededWidth() const
    {
        return m_needed;
    }
    /// Shows where a rank stands; emits nothing.
    void select(std::size_t row);

Q_SIGNALS:
    void rankChosen(std::size_t row);
    void openRequested(std::size_t row);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    enum Tab : int { against_median, bytes, stages };
    void refresh();
    void fitCells();

    std::shared_ptr<const job::Job> m_job;
    RankTableModel m_model;
    QTabBar* m_tabs;
    QTableView* m_view;
    QLabel* m_legend;
    ElidedLabel* m_measure; ///< Of what moment the rows are.
    int m_needed = 0;
    bool m_had_median = true;
    bool m_is_selecting = false;
};

} // namespace tidemark::ui
