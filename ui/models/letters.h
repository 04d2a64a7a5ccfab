// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QString>

namespace tidemark::ui {

/// Whether this machine has a font: without one Qt paints an empty box for every letter. Requires
/// the application.
[[nodiscard]] bool hasLetters();

/// What to do where there is none.
[[nodiscard]] QString noLetters();

} // namespace tidemark::ui
