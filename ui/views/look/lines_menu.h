// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/fix.h"

#include <QtWidgets/QMenu>

#include <vector>

class QToolButton;

namespace tidemark::ui {

/// The lines to paste of one fix or of several together, one entry for each framework; choosing one
/// puts them on the clipboard.
class LinesMenu : public QMenu {
    Q_OBJECT
public:
    using QMenu::QMenu;
    /// None: the menu is empty. They need not outlive the call.
    void setFixes(const std::vector<const diagnose::Fix*>& fixes);

Q_SIGNALS:
    void copied(const QString& words);
};

/// A quiet button "Copy Code" that opens the menu.
[[nodiscard]] QToolButton* makeLinesButton(QWidget* parent, LinesMenu& menu);

} // namespace tidemark::ui
