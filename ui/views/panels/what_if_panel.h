// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/budget_model.h"
#include "ui/models/view_state.h"
#include "ui/models/what_if_trial.h"
#include "ui/views/panels/change_controls.h"

#include <QtWidgets/QWidget>

#include <vector>

class QBoxLayout;
class QLabel;
class QTableView;
class QToolButton;

namespace tidemark::ui {

/// Controls for every change that can be predicted, in any combination; beside them what they lead
/// to: whether it fits, the budget before and after, and the words for the command line.
class WhatIfPanel : public QWidget {
    Q_OBJECT
public:
    /// Both outlive it.
    WhatIfPanel(ViewState& state, WhatIfTrial& trial, QWidget* parent = nullptr);

Q_SIGNALS:

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeControls();
    QWidget* makeOutcome();
    void onChanged(ChangeControl* control);
    void showRecorded();
    void showChanges();
    void showAnswer();
    void showEffects(const std::vector<bool>& has_effect);
    void refreshGpus();
    [[nodiscard]] ChangeControl* control(const QString& id) const;
    [[nodiscard]] QString command() const;

    ViewState& m_state;
    WhatIfTrial& m_trial;
    std::vector<ChangeControl*> m_controls;
    QLabel* m_verdict;
    QLabel* m_figures;
    QLabel* m_assumptions;
    QLabel* m_command;
    QToolButton* m_copy;
    QToolButton* m_reset;
    BudgetModel m_budget;
    QTableView* m_table;
    QBoxLayout* m_answer = nullptr; ///< The outcome and the table.
};

/// Whether a changed run fits, in one sentence: "Fits, with 4.49 GiB to spare".
[[nodiscard]] QString fitSentence(const diagnose::Prediction& prediction);

} // namespace tidemark::ui
