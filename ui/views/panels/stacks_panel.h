// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/moment.h"
#include "ui/models/newest_job.h"
#include "ui/models/stack_tree_model.h"
#include "ui/models/view_state.h"
#include "ui/views/panels/icicle_view.h"

#include <QtCore/QTimer>
#include <QtWidgets/QWidget>

class QLabel;
class QLineEdit;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace tidemark::ui {

class ChipCombo;

/// Who allocated: the calls of all stacks as an icicle or as a table that unfolds, of what lives at
/// the cursor or at the peak, or of what the selected range allocated, kept or grew by. Hidden
/// bands do not count.
class StacksPanel : public QWidget {
    Q_OBJECT
public:
    explicit StacksPanel(ViewState& state, QWidget* parent = nullptr);
    [[nodiscard]] IcicleView& icicle()
    {
        return *m_icicle;
    }
    void setTableShown(bool shown);
    [[nodiscard]] bool isBusy() const
    {
        return m_soon.isActive() || m_job.isBusy();
    }

Q_SIGNALS:
    void stackRequested(); ///< Of the selected allocation, the largest of a call.
    void filterRequested(const QString& words); ///< Allocations with this in their stacks.
    void copied(const QString& words); ///< What was put on the clipboard, in a few words.
    void treeShown(); ///< What is drawn is up to date.

protected:
    void showEvent(QShowEvent* event) override;

private:
    /// What is counted, in the order of the choices.
    enum Moment : int { at_cursor, at_peak, allocated, kept, grown };
    void refresh();
    void refreshSoon();
    void updateChoices();
    void forget(); ///< The tree that is shown, and the one under way.
    void showTree(const std::shared_ptr<const curves::StackTree>& tree);
    void updateWords();
    QWidget* makeForms();
    void unfold();
    void selectCall();
    void followSelection();
    void showMenu(const QPoint& place);
    [[nodiscard]] Moment moment() const;
    [[nodiscard]] curves::StackTreeRequest request() const;

    ViewState& m_state;
    ChipCombo* m_moment;
    QToolButton* m_callers;
    QToolButton* m_callees;
    QToolButton* m_libraries;
    QToolButton* m_as_table;
    QLineEdit* m_search;
    QLabel* m_words;
    StackTreeModel m_calls; // Before the view that shows them.
    QStackedWidget* m_forms;
    IcicleView* m_icicle;
    QTreeView* m_tree;
    bool m_is_filling = false;
    bool m_is_following = false; ///< The call follows what is selected, not the other way round.
    curves::StackTreeRequest m_shown; ///< Of the tree.
    QTimer m_soon; ///< Follows the mouse at a bounded rate.
    NewestJob m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
