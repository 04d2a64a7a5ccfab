// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/corrections_model.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

class QLabel;
class QTableView;
class QToolButton;

namespace tidemark::ui {

/// The corrections of the file that is shown: what each means and how much that is. What a person
/// does with them is asked for by signals; rows are numbers of corrections.
class CorrectionsPanel : public QWidget {
    Q_OBJECT
public:
    explicit CorrectionsPanel(ViewState& state, QWidget* parent = nullptr);
    [[nodiscard]] const CorrectionsModel& model() const
    {
        return m_model;
    }

Q_SIGNALS:
    void countChanged(int count);
    void editRequested(int row);
    void removeRequested(const QList<int>& rows);
    /// To stand before another row, or last where `before` is the number of rows.
    void moveRequested(const QList<int>& rows, int before);
    void loadRequested();
    void saveRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    [[nodiscard]] std::shared_ptr<const label::Corrections> shownCorrections() const;
    void fit();
    void refreshButtons();
    void moveChosen(bool up);
    void askToMove(const QList<int>& rows, int before);
    [[nodiscard]] QList<int> chosenRows() const; ///< In their order.

    ViewState& m_state;
    CorrectionsModel m_model;
    QLabel* m_words;
    QToolButton* m_edit;
    QToolButton* m_remove;
    QToolButton* m_up;
    QToolButton* m_down;
    QToolButton* m_load;
    QToolButton* m_save;
    QTableView* m_table;
    QList<int> m_moved; ///< Rows to choose once the new order is there.
};

} // namespace tidemark::ui
