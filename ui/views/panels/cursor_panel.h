// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/bucket_table_model.h"
#include "ui/models/largest_places.h"
#include "ui/models/view_state.h"

#include <QtCore/QTimer>
#include <QtWidgets/QWidget>

class QLabel;
class QListView;
class QTableView;

namespace tidemark::ui {

/// What lives in the state under the mouse, or at the cursor: bytes per band of the timeline, in
/// its colours, and the places that allocated most.
class CursorPanel : public QWidget {
    Q_OBJECT
public:
    explicit CursorPanel(ViewState& state, QWidget* parent = nullptr);
    /// The line "At event 637  step 1 · backward"; lives in this panel until it is given another
    /// place.
    [[nodiscard]] QLabel* title()
    {
        return m_title;
    }

Q_SIGNALS:
    void stackRequested(); ///< An allocation was chosen; it is the view state's selection now.
    /// A menu for the allocation that is selected now, at a place of the screen.
    void menuRequested(const QPoint& place);

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    void refresh();
    void refreshTitle();
    void fitTable();

    ViewState& m_state;
    QLabel* m_title;
    QTableView* m_table;
    QListView* m_list;
    BucketTableModel m_buckets;
    LargestPlaces m_largest;
    QTimer m_soon; ///< Follows the mouse at a bounded rate.
};

/// "At event 637", by name where it has one: "At the OOM" (the state it fails in, and the same
/// memory behind its own event), "At the peak"; and where that is: "step 1 · backward".
[[nodiscard]] QString stateTitle(const ViewState& view, StateId state);
[[nodiscard]] QString phaseText(const label::DeviceLabels& labels, StateId state);

} // namespace tidemark::ui
