// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/lines_menu.h"

#include "core/report/fix_words.h"
#include "ui/models/text.h"
#include "ui/views/look/copy_button.h"
#include "ui/views/look/pieces.h"

namespace tidemark::ui {

LinesMenu::LinesMenu(QWidget* parent)
    : QMenu(parent)
    , m_button(makeCopyButton(parent, tr("Copy Code ▾")))
{
    m_button->setPopupMode(QToolButton::InstantPopup);
    m_button->setMenu(this);
    m_button->setFont(smallFont(*m_button));
    m_button->setProperty("link", true);
}

void LinesMenu::setFixes(const std::vector<const diagnose::Fix*>& fixes)
{
    clear();
    setToolTipsVisible(true);
    for (const auto& [framework, lines] : report::linesToPaste(fixes)) {
        const QString words = text(lines);
        QAction* action = addAction(text(framework));
        action->setToolTip(words);
        connect(action, &QAction::triggered, this, [this, words] { copyFrom(*m_button, words); });
    }
}

} // namespace tidemark::ui
