// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/report/terminal_timeline.h"

#include <string>
#include <string_view>

namespace tidemark::report {

/// The escape sequence (ECMA-48 SGR) that sets a colour "#RRGGBB" as far as a terminal shows it,
/// for letters or for what is behind them; empty without colours.
std::string foreground(std::string_view colour, ColourDepth depth);
std::string background(std::string_view colour, ColourDepth depth);
/// Back to the terminal's own colours; empty without colours.
std::string_view plain(ColourDepth depth);

} // namespace tidemark::report
