// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QString>

#include <functional>

class QToolButton;
class QWidget;

namespace tidemark::ui {

/// A quiet button that copies: it says "Copied ✓" itself for two seconds, to screen readers, too.
/// It is always as wide as the longer of both, so that nothing moves.
[[nodiscard]] QToolButton* makeCopyButton(QWidget* parent, const QString& words);
/// The same that puts what it is given at a click on the clipboard.
[[nodiscard]] QToolButton* makeCopyButton(QWidget* parent, const QString& words,
                                          std::function<QString()> text);
/// Puts the text on the clipboard, and lets a button of `makeCopyButton` say so.
void copyFrom(QToolButton& button, const QString& text);

} // namespace tidemark::ui
