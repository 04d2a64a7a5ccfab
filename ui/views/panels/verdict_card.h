// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/fix.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QFrame>

#include <vector>

class QLabel;
class QToolButton;

namespace tidemark::ui {

class LinesMenu;

/// The answer in a sentence, why, and the checks that make it trustworthy: the recipe, the sum, how
/// sure.
class VerdictCard : public QFrame {
    Q_OBJECT
public:
    explicit VerdictCard(ViewState& state, QWidget* parent = nullptr);

Q_SIGNALS:
    void evidenceRequested();

private:
    void refresh();

    ViewState& m_state;
    QLabel* m_headline;
    QLabel* m_explanation;
    QLabel* m_checks;
    QToolButton* m_evidence;
};

/// The one change to make, with its lines ready to be copied.
class FixCard : public QFrame {
    Q_OBJECT
public:
    explicit FixCard(ViewState& state, QWidget* parent = nullptr);
    /// Where there is little room only the answer's facts are shown; the reasons stand in the panel
    /// below and in the tool tip.
    void setCompact(bool compact);

Q_SIGNALS:
    void allFixesRequested();
    /// The proposed changes are to be tried: their title, and what they are in `--apply` words.
    void tryRequested(const QString& title, const QString& apply);
    void copied(const QString& words); ///< What was put on the clipboard, for a notice.

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    /// The set that the card speaks of; empty where it names none.
    [[nodiscard]] std::vector<const diagnose::Fix*> proposed() const;

    ViewState& m_state;
    QLabel* m_headline;
    QLabel* m_explanation;
    LinesMenu* m_menu;
    QToolButton* m_copy;
    QToolButton* m_try;
    QToolButton* m_all;
    bool m_is_compact = false;
};

} // namespace tidemark::ui
