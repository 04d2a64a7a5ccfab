// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/preferences.h"
#include "ui/views/look/palette.h"

class QApplication;

namespace tidemark::ui {

/// The theme a choice means on this desktop. What the system prefers is read from the palette the
/// program was started with, so the first call must come before `applyTheme`.
[[nodiscard]] Theme resolveTheme(ThemeChoice choice);

/// Fusion style, palette and style sheet for the whole program. Widgets learn of it by
/// PaletteChange.
void applyTheme(QApplication& application, Theme theme);

/// Colours of the theme that is applied.
[[nodiscard]] const ThemeColours& currentColours();

} // namespace tidemark::ui
