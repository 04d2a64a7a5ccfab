// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/fixes_model.h"
#include "ui/models/view_state.h"
#include "ui/models/what_if_trial.h"
#include "ui/views/look/key_help.h"

#include <QtWidgets/QWidget>

class QLabel;
class QTableView;
class QToolButton;
class QHBoxLayout;
class QVBoxLayout;

namespace tidemark::ui {

class ElidedLabel;
class FixDetail;
class SourcePlaces;
class WhenSeen;

/// The answer, the ladder of fixes under it, and the chosen fix in full, its predicted timeline
/// drawn over the recorded one.
class FixesPanel : public QWidget {
    Q_OBJECT
public:
    /// All outlive it.
    FixesPanel(ViewState& state, WhatIfTrial& trial, SourcePlaces& places,
               QWidget* parent = nullptr);
    [[nodiscard]] static std::vector<KeyHelp> keyHelp();
    /// Chooses the recommended fix, else nothing.
    void chooseRecommended();

Q_SIGNALS:
    void failed(const QString& sentence);
    void stackRequested(); ///< Of what a line allocated, which is selected.
    /// The chosen fix is to be changed further.
    void panelRequested(const QString& id);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void refreshRows();
    void fillRows();
    void fillDetail();
    void choose(int row);
    void chooseTried();
    void showDetail(int row); ///< −1: of none.
    void openWhatIf();

    ViewState& m_state;
    WhatIfTrial& m_trial;
    QTableView* m_table;
    QHBoxLayout* m_row = nullptr;
    QToolButton* m_show_all;
    ElidedLabel* m_limits; ///< How far each knob can be turned alone.
    QLabel* m_empty;
    FixDetail* m_detail;
    FixesModel m_model;
    int m_detailed = -1; ///< The row whose detail is shown.
    WhenSeen* m_rows_seen; ///< Both are children.
    WhenSeen* m_detail_seen; ///< Of the row that those choose.
    bool m_is_following = false; ///< The row is chosen because its changes are tried.
};

} // namespace tidemark::ui
