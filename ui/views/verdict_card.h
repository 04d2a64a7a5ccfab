// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/view_state.h"

#include <QtWidgets/QFrame>

class QLabel;
class QMenu;
class QToolButton;

namespace tidemark::ui {

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

Q_SIGNALS:
    void allFixesRequested();
    void copied(const QString& words); ///< What was put on the clipboard, for a notice.

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    [[nodiscard]] const diagnose::Fix* proposed() const;

    ViewState& m_state;
    QLabel* m_headline;
    QLabel* m_explanation;
    QToolButton* m_copy;
    QMenu* m_menu;
    QToolButton* m_all;
};

/// "high", "medium" or "low".
[[nodiscard]] QString confidenceText(double score);

} // namespace tidemark::ui
