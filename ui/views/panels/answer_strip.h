// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace tidemark::ui {

class LinesMenu;

/// The answer above the ladder: the cheapest set of fixes that fits, what it leaves free, the
/// step's batch, and how far each knob could be turned alone.
class AnswerStrip : public QWidget {
    Q_OBJECT
public:
    /// The state outlives it.
    explicit AnswerStrip(ViewState& state, QWidget* parent = nullptr);
    /// Where there is little room the facts move to the tool tip.
    void setCompact(bool compact);
    /// Puts a link of the surroundings beside the strip's own.
    void addLink(QWidget* link);

Q_SIGNALS:
    void copied(const QString& words);
    /// The answer's changes are to be tried: its title, and what it is in `--apply` words.
    void tryRequested(const QString& title, const QString& apply);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    ViewState& m_state;
    QLabel* m_headline;
    QLabel* m_facts;
    QHBoxLayout* m_row = nullptr;
    LinesMenu* m_menu;
    QToolButton* m_copy;
    QToolButton* m_try;
    bool m_is_compact = false;
};

} // namespace tidemark::ui
