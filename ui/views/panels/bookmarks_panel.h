// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/rows_model.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

class QLabel;
class QTableView;
class QToolButton;

namespace tidemark::ui {

/// The marked moments of the device that is shown, to jump to; what is to be done with one is asked
/// for by signals.
class BookmarksPanel : public QWidget {
    Q_OBJECT
public:
    explicit BookmarksPanel(ViewState& state, QWidget* parent = nullptr);

Q_SIGNALS:
    void countChanged(int count);
    /// Of the cursor: to be marked, or its note to be changed.
    void markRequested();
    void editRequested(tidemark::StateId state);
    void removeRequested(tidemark::StateId state);

private:
    void refresh();
    void refreshButtons();
    void goToChosen();
    [[nodiscard]] const pipeline::Bookmark* chosen() const;

    ViewState& m_state;
    RowsModel m_model;
    QLabel* m_words;
    QToolButton* m_add;
    QToolButton* m_edit;
    QToolButton* m_remove;
    QTableView* m_table;
};

} // namespace tidemark::ui
