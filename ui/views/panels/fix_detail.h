// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/fix.h"

#include <QtWidgets/QWidget>

#include <utility>
#include <vector>

class QButtonGroup;
class QGridLayout;
class QLabel;
class QToolButton;

namespace tidemark::ui {

class CodeBlock;
class LineLinks;
class SourcePlaces;
class ViewState;

/// One fix in full: what it leads to, why, what it costs and asks for, and its lines for each
/// framework. The framework that a person chose stays chosen for the next fix that has it.
class FixDetail : public QWidget {
    Q_OBJECT
public:
    /// Both outlive it.
    FixDetail(ViewState& state, SourcePlaces& places, QWidget* parent = nullptr);
    /// The lines of code that its reason names.
    [[nodiscard]] LineLinks& links() const
    {
        return *m_links;
    }

    /// Null: nothing but a hint, empty without one. The fix need not outlive the call. All figures
    /// have the unit of the `largest` one of the view.
    void showFix(const diagnose::Fix* fix, const QString& hint, Bytes largest);

Q_SIGNALS:
    void whatIfRequested();

private:
    void showTerms(const diagnose::Fix& fix);
    void showFrameworks(const diagnose::Fix& fix);
    void showLines();
    QWidget* makeLines();

    QLabel* m_title;
    QLabel* m_figures;
    QLabel* m_why;
    LineLinks* m_links;
    QToolButton* m_what_if;
    QWidget* m_terms = nullptr; ///< Made anew for each fix.
    QWidget* m_lines; ///< Frameworks, and the lines of the chosen one.
    QWidget* m_frameworks;
    QButtonGroup* m_group;
    CodeBlock* m_code;
    QToolButton* m_copy;
    QToolButton* m_all_lines; ///< Of long code.
    std::vector<std::pair<QString, QString>> m_how; ///< Framework → lines, of the fix shown.
    QString m_framework; ///< As chosen by hand.
};

} // namespace tidemark::ui
