// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QString>

#include <functional>

class QAbstractItemView;

namespace tidemark::ui {

/// Copy (Ctrl+C) in a view takes `text()`, and leaves the clipboard alone where that is empty: Qt
/// would ask for the text of no row, and empty it. Lives with the view.
void copyOnKey(QAbstractItemView& view, std::function<QString()> text);

} // namespace tidemark::ui
