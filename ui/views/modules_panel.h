// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/modules_model.h"
#include "ui/models/newest_job.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <vector>

class QLabel;
class QTableView;
class QToolButton;

namespace tidemark::ui {

/// Where in the model the live memory belongs, at the cursor or at the peak.
class ModulesPanel : public QWidget {
    Q_OBJECT
public:
    explicit ModulesPanel(ViewState& state, QWidget* parent = nullptr);
    /// Chooses the row of the selected allocation, at the cursor.
    void showSelected();

Q_SIGNALS:
    /// The selected allocation, the largest of a row, is to be shown with its stack.
    void stackRequested();
    void rowsShown(); ///< The table is up to date.

protected:
    void showEvent(QShowEvent* event) override;

private:
    /// What a request gives: the details are made once per set of labels.
    struct Answer {
        std::shared_ptr<const label::Details> details;
        std::vector<curves::ModuleBytes> rows;
    };
    void refresh();
    void showAnswer(StateId state, const std::shared_ptr<const label::Labels>& labels,
                    const Answer& answer);
    [[nodiscard]] StateId wantedState() const;
    void chooseSelected();

    ViewState& m_state;
    ModulesModel m_model;
    QLabel* m_title;
    QToolButton* m_at_cursor;
    QToolButton* m_at_peak;
    QTableView* m_table;
    bool m_wants_selected = false; ///< Its row is to be chosen as soon as there are rows.
    std::shared_ptr<const label::Labels> m_labels; ///< That `m_details` belong to.
    std::shared_ptr<const label::Details> m_details;
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
