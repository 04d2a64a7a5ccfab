// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/model_tree_model.h"
#include "ui/models/newest_job.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

#include <memory>

class QLabel;
class QToolButton;
class QTreeView;

namespace tidemark::ui {

class DimensionLine;

/// What the program was: its dimensions in a line, and below them the model as a tree with what
/// each part holds, at the cursor or at the peak.
class ModelPanel : public QWidget {
    Q_OBJECT
public:
    explicit ModelPanel(ViewState& state, QWidget* parent = nullptr);
    [[nodiscard]] bool isBusy() const
    {
        return m_job.isBusy();
    }
    [[nodiscard]] DimensionLine& dimensions()
    {
        return *m_dimensions;
    }
    /// Chooses the row of the selected allocation, at the cursor.
    void showSelected();

Q_SIGNALS:
    /// The selected allocation, the largest of a row, is to be shown with its stack.
    void stackRequested();
    void rowsShown(); ///< The tree is up to date.

protected:
    void showEvent(QShowEvent* event) override;

private:
    /// Nothing of a device: a click until the tree is there would select one of its allocations.
    void forget();
    void refresh();
    void showDimensions();
    void showContent(StateId state, const std::shared_ptr<const ModelTreeContent>& content);
    /// Whether `m_details` are of this analysis.
    [[nodiscard]] bool areDetailsOf(const diagnose::Analysis& analysis) const;
    [[nodiscard]] StateId wantedState() const;
    void unfold();
    void chooseSelected();

    ViewState& m_state;
    ModelTreeModel m_model;
    DimensionLine* m_dimensions;
    QLabel* m_title;
    QToolButton* m_at_cursor;
    QToolButton* m_at_peak;
    QTreeView* m_tree;
    bool m_wants_selected = false; ///< Its row is to be chosen as soon as there are rows.
    /// What `m_details` were made of; programs come after the labels.
    std::shared_ptr<const label::Labels> m_labels;
    std::shared_ptr<const std::vector<program::Program>> m_programs;
    std::shared_ptr<const label::Details> m_details;
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
