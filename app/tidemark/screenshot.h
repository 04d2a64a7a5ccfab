// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "app/tidemark/options.h"

namespace tidemark::app {

/// Opens the files in a window, waits until they are read, and writes the picture of a view.
/// Requires a QApplication with a theme. Errors: those of the reader; cannotWrite; badArgument when
/// the view has nothing to show.
[[nodiscard]] Result<Done> takeScreenshot(const Options& options);

} // namespace tidemark::app
