// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/events_model.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

class QLabel;
class QLineEdit;
class QTableView;

namespace tidemark::ui {

/// The raw trace, in step with the cursor: a row that is chosen moves it behind that event and
/// selects the event's allocation, a cursor that is set elsewhere chooses its row.
class EventsPanel : public QWidget {
    Q_OBJECT
public:
    explicit EventsPanel(ViewState& state, QWidget* parent = nullptr);

Q_SIGNALS:
    void editorRequested(const QString& file, int line);
    void stackRequested(); ///< Of the event's allocation, which is selected now.

protected:
    void showEvent(QShowEvent* event) override;

private:
    void reset();
    void followCursor();
    void chooseRow(int row);
    void findNext(int step);

    ViewState& m_state;
    EventsModel m_model;
    QLineEdit* m_search;
    QLabel* m_words;
    QTableView* m_table;
    bool m_is_stale = true;
    bool m_follows = false; ///< The row follows the cursor, not the cursor the row.
};

} // namespace tidemark::ui
