// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/allocations_model.h"
#include "ui/models/view_state.h"

#include <QtCore/QTimer>
#include <QtWidgets/QWidget>

class QLabel;
class QLineEdit;
class QTableView;

namespace tidemark::ui {

/// All allocations that live at the cursor, sortable and filtered by bucket, role, function or
/// file.
class AllocationsPanel : public QWidget {
    Q_OBJECT
public:
    explicit AllocationsPanel(ViewState& state, QWidget* parent = nullptr);
    void setFilter(const QString& words);

Q_SIGNALS:
    void stackRequested();
    /// A menu for the allocation that is selected now, at a place of the screen.
    void menuRequested(const QPoint& place);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refreshSoon();
    void chooseSelected();
    void refresh();
    void refreshLabels();
    void showMenu(const QPoint& position);

    ViewState& m_state;
    QLineEdit* m_filter;
    QLabel* m_summary;
    QTableView* m_table;
    AllocationsModel m_model;
    QTimer m_soon;
    bool m_is_stale = true;
};

} // namespace tidemark::ui
