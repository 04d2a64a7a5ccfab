// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/cause.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

class QLabel;
class QPlainTextEdit;
class QVBoxLayout;

namespace tidemark::ui {

class WhenSeen;

/// The causes with what speaks for each, where the capacity comes from, and what a person can add:
/// the out-of-memory message.
class EvidencePanel : public QWidget {
    Q_OBJECT
public:
    explicit EvidencePanel(ViewState& state, QWidget* parent = nullptr);

Q_SIGNALS:
    void messageGiven(const QString& message); ///< Empty: none.
    void stackRequested(const QString& title, quint32 stack);
    /// The selected allocation is to be shown in the list of them, or the cursor in the map.
    void panelRequested(const QString& id);
    void moduleRequested(); ///< The selected allocation, among the modules.

private:
    QWidget* makeList();
    QWidget* makeForm();
    void refresh();
    void fill();
    void refreshForm(); ///< What a person types stays until another message is in use.
    /// `is_about_layout`: where blocks lie counts, not what they are for. Returns
    /// the label with the sentence.
    QLabel* addEvidence(const diagnose::Evidence& evidence, bool is_about_layout);
    void goTo(StateId state);
    /// Goes to an evidence's state and selects the largest block of its stack there. False without.
    bool selectBlock(StateId state, StackId stack);
    void apply();

    ViewState& m_state;
    QWidget* m_causes;
    QVBoxLayout* m_list;
    QPlainTextEdit* m_message;
    QString m_used; ///< The message that the form had last.
    QLabel* m_hint;
    WhenSeen* m_seen; ///< A child.
};

} // namespace tidemark::ui
