// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/flow_models.h"
#include "ui/models/newest_job.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

class QLabel;
class QPushButton;
class QTableView;

namespace tidemark::ui {

/// What came and what went in the selected range, by bucket and by stack.
class RangePanel : public QWidget {
    Q_OBJECT
public:
    explicit RangePanel(ViewState& state, QWidget* parent = nullptr);
    [[nodiscard]] bool isBusy() const
    {
        return m_job.isBusy();
    }

Q_SIGNALS:
    void stackRequested(const QString& title, quint32 stack);
    void changesShown(); ///< The figures of the selected range are there.

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void count(Interval<StateId> between);
    void showChanges(const curves::RangeChanges& changes);
    void fitTables();
    [[nodiscard]] QString titleOf(const curves::RangeChanges& changes) const;

    ViewState& m_state;
    BucketFlowModel m_buckets;
    StackFlowModel m_stacks;
    QLabel* m_title;
    QLabel* m_hint; ///< How to select a range, where there is none.
    QPushButton* m_zoom;
    QPushButton* m_clear;
    QTableView* m_bucket_table;
    QTableView* m_stack_table;
    bool m_is_current = false;
    NewestJob m_job;
};

} // namespace tidemark::ui
