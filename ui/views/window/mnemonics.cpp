// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/mnemonics.h"

#include <QtCore/QSet>
#include <QtGui/QAction>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>

namespace tidemark::ui {
namespace {

constexpr QLatin1Char kMark('&');

/// Where the marked letter is in a text without marks; −1 without one.
struct Marked {
    QString words;
    qsizetype at = -1;
};

Marked readMarked(const QString& text)
{
    Marked made;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const bool is_mark = text[i] == kMark && i + 1 < text.size();
        if (is_mark && text[i + 1] != kMark) {
            made.at = made.words.size();
        } else {
            made.words += text[i];
            i += is_mark ? 1 : 0; // Two marks are one ampersand.
        }
    }
    return made;
}

QString written(const Marked& marked)
{
    QString text;
    for (qsizetype i = 0; i < marked.words.size(); ++i) {
        text += i == marked.at ? QString(kMark) : QString();
        text += marked.words[i] == kMark ? QStringLiteral("&&") : QString(marked.words[i]);
    }
    return text;
}

qsizetype firstFree(const QString& words, const QSet<QChar>& taken)
{
    qsizetype inside = -1;
    for (qsizetype i = 0; i < words.size(); ++i) {
        if (words[i].isLetterOrNumber() && !taken.contains(words[i].toLower())) {
            if (i == 0 || words[i - 1].isSpace()) {
                return i;
            }
            inside = inside < 0 ? i : inside;
        }
    }
    return inside;
}

void keepApart(const QList<QAction*>& actions)
{
    QSet<QChar> taken;
    QList<QAction*> without;
    for (QAction* action : actions) {
        const Marked marked = readMarked(action->text());
        if (action->isSeparator() || !action->isVisible() || marked.at < 0) {
            continue;
        }
        if (!taken.contains(marked.words[marked.at].toLower())) {
            taken.insert(marked.words[marked.at].toLower());
        } else {
            without << action;
        }
    }
    for (QAction* action : without) {
        Marked marked = readMarked(action->text());
        marked.at = firstFree(marked.words, taken);
        if (marked.at >= 0) {
            taken.insert(marked.words[marked.at].toLower());
        }
        action->setText(written(marked));
    }
}

void watchMenu(QMenu& menu)
{
    const auto act = [&menu] {
        keepApart(menu.actions());
        for (QAction* action : menu.actions()) {
            // One that was made since the last time.
            if (action->menu() != nullptr && !action->menu()->property("keepsApart").toBool()) {
                watchMenu(*action->menu());
            }
        }
    };
    menu.setProperty("keepsApart", true);
    QObject::connect(&menu, &QMenu::aboutToShow, &menu, act);
    act();
}

} // namespace

void keepMnemonicsApart(QMenuBar& bar)
{
    keepApart(bar.actions());
    for (QAction* action : bar.actions()) {
        if (action->menu() != nullptr) {
            watchMenu(*action->menu());
        }
    }
}

} // namespace tidemark::ui
