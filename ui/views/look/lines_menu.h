// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/fix.h"

#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>

#include <vector>

namespace tidemark::ui {

/// The lines to paste of one fix or of several together, one entry for each framework; choosing one
/// puts them on the clipboard, as the button says that opens the menu.
class LinesMenu : public QMenu {
    Q_OBJECT
public:
    explicit LinesMenu(QWidget* parent);
    /// None: the menu is empty. They need not outlive the call.
    void setFixes(const std::vector<const diagnose::Fix*>& fixes);
    /// A quiet button "Copy Code".
    [[nodiscard]] QToolButton* button() const
    {
        return m_button;
    }

private:
    QToolButton* m_button;
};

} // namespace tidemark::ui
