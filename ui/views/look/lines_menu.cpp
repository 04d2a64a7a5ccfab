// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/lines_menu.h"

#include "core/report/fix_words.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>

namespace tidemark::ui {

void LinesMenu::setFixes(const std::vector<const diagnose::Fix*>& fixes)
{
    clear();
    setToolTipsVisible(true);
    for (const auto& [framework, lines] : report::linesToPaste(fixes)) {
        const QString words = text(lines);
        QAction* action = addAction(text(framework));
        action->setToolTip(words);
        connect(action, &QAction::triggered, this, [this, words] {
            QGuiApplication::clipboard()->setText(words);
            Q_EMIT copied(words);
        });
    }
}

QToolButton* makeLinesButton(QWidget* parent, LinesMenu& menu)
{
    QToolButton* button = makeQuietButton(parent, LinesMenu::tr("Copy Code ▾"));
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(&menu);
    button->setFont(smallFont(*button));
    button->setProperty("link", true);
    return button;
}

} // namespace tidemark::ui
