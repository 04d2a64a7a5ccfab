// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/views/look/key_help.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <vector>

class QWidget;

namespace tidemark::ui {

class HelpDialog;

/// A menu's words as a sentence says them: "Open" of "&Open…".
[[nodiscard]] QString plainTitle(QString words);

/// Every key of a window: those of its menus' actions, menu by menu, of what has a shortcut beside
/// them, and those that its views handle themselves. What is not in the list has no key.
[[nodiscard]] std::vector<KeyGroup> keysOf(const QWidget& window);

/// The first page of the documentation for a program in that folder: the installed site
/// (`../share/doc/tidemark/html/index.html`), else docs of the source tree that it was built in;
/// empty: neither is there.
[[nodiscard]] QString documentationPage(const QString& program_folder);

/// The Help menu: the keys, the words, how to record, and about the program.
class HelpActions : public QObject {
    Q_OBJECT
public:
    /// The window outlives it.
    explicit HelpActions(QWidget& window);

    /// Opens the help at a page: "keys", "words" or "recording".
    HelpDialog& open(const QString& page);
    void openDocumentation();
    void showAbout();

Q_SIGNALS:
    void failed(const QString& sentence);

private:
    QWidget& m_window;
};

} // namespace tidemark::ui
