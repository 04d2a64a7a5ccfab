// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/fix.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

#include <vector>

class QToolButton;

namespace tidemark::ui {

class ElidedLabel;
class LineLinks;
class LinesMenu;
class SourcePlaces;

/// The left half of the answer: a sentence, why in two lines at most, and the checks that make it
/// trustworthy. What has no room is in the tool tip and under Why.
class VerdictCard : public QWidget {
    Q_OBJECT
public:
    /// Both outlive it.
    VerdictCard(ViewState& state, SourcePlaces& places, QWidget* parent = nullptr);

Q_SIGNALS:
    void evidenceRequested();
    void correctionsRequested();
    void stackRequested(); ///< Of what a line allocated, which is selected.
    void failed(const QString& sentence);

private:
    void refresh();

    ViewState& m_state;
    ElidedLabel* m_headline;
    ElidedLabel* m_explanation;
    LineLinks* m_lines;
    ElidedLabel* m_checks;
    QToolButton* m_corrected; ///< What the verdict says rests on a person's correction.
    QToolButton* m_evidence;
};

/// The right half: the one fix to apply, with its lines ready to be copied.
class FixCard : public QWidget {
    Q_OBJECT
public:
    explicit FixCard(ViewState& state, QWidget* parent = nullptr);

Q_SIGNALS:
    void allFixesRequested();
    /// The proposed changes are to be tried: their title, and what they are in `--apply` words.
    void tryRequested(const QString& title, const QString& apply);

private:
    void refresh();
    /// The set that the card speaks of; empty where it names none.
    [[nodiscard]] std::vector<const diagnose::Fix*> proposed() const;

    ViewState& m_state;
    ElidedLabel* m_headline;
    ElidedLabel* m_explanation;
    LinesMenu* m_menu;
    QToolButton* m_copy;
    QToolButton* m_try;
    QToolButton* m_all;
};

} // namespace tidemark::ui
