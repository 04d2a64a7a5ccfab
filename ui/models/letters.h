// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

namespace tidemark::ui {

/// Whether this machine has a font: without one Qt paints an empty box for every letter. Requires
/// the application.
[[nodiscard]] bool hasLetters();

/// What to do where there is none.
inline constexpr const char* kNoLetters =
    "There is no font on this machine, so all letters would be empty boxes; install one, such as "
    "the package fonts-dejavu-core, or use tidemark-cli, which needs none.";

} // namespace tidemark::ui
