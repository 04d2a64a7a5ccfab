// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/fixes_model.h"
#include "ui/models/predictor.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

class QLabel;
class QTableView;
class QToolButton;
class QVBoxLayout;

namespace tidemark::ui {

/// The ladder of fixes; the chosen one with its reason, its lines to paste, and its predicted
/// timeline drawn over the recorded one.
class FixesPanel : public QWidget {
    Q_OBJECT
public:
    explicit FixesPanel(ViewState& state, QWidget* parent = nullptr);
    /// Chooses the recommended fix, else nothing.
    void chooseRecommended();

Q_SIGNALS:
    void copied(const QString& words);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void refresh();
    void refreshRows();
    void choose(int row);
    void showDetail(const diagnose::Fix* fix);
    void addLines(const diagnose::Fix& fix);

    ViewState& m_state;
    QTableView* m_table;
    QToolButton* m_show_all;
    QLabel* m_empty;
    QWidget* m_detail;
    QLabel* m_title;
    QLabel* m_figures;
    QLabel* m_why;
    QVBoxLayout* m_lines;
    FixesModel m_model;
    Predictor m_predictor;
};

} // namespace tidemark::ui
