// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/bucket_table_model.h"
#include "ui/models/facts_model.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

class QHBoxLayout;
class QLabel;
class QTableView;

namespace tidemark::ui {

class WhenSeen;

/// Bytes per bucket at the peak, before the last OOM event, and at the cursor.
class BucketsPanel : public QWidget {
    Q_OBJECT
public:
    explicit BucketsPanel(ViewState& state, QWidget* parent = nullptr);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();

    ViewState& m_state;
    BucketTableModel m_model;
    QTableView* m_table;
};

/// What the file says about itself, its devices, and what was odd in it.
class FilePanel : public QWidget {
    Q_OBJECT
public:
    explicit FilePanel(ViewState& state, QWidget* parent = nullptr);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void shareRoom();
    void fill();

    ViewState& m_state;
    FactsModel m_facts;
    DevicesModel m_devices;
    NotesModel m_notes;
    QHBoxLayout* m_row;
    QTableView* m_facts_table;
    QTableView* m_devices_table;
    QTableView* m_notes_table;
    QLabel* m_notes_heading;
    QLabel* m_no_notes;
    WhenSeen* m_seen; ///< A child.
};

} // namespace tidemark::ui
