// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/preferences.h"

#include <QtCore/QSize>

#include <optional>

namespace tidemark::ui {
class MainWindow;
}

namespace tidemark::app {

/// What is kept between two starts: theme, language, recent files, the window's place and its
/// panels.
void loadPreferences(ui::Preferences& preferences);
void savePreferences(const ui::Preferences& preferences);
/// `size`: instead of that which it had.
void loadWindow(ui::MainWindow& window, std::optional<QSize> size = {});
void saveWindow(ui::MainWindow& window);

} // namespace tidemark::app
