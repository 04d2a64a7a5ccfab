// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/report/terminal_timeline.h"

namespace tidemark::cli {

/// Whether standard output is a terminal that a person looks at.
bool isTerminal();

/// What the terminal behind standard output can show, by TERM, COLORTERM, NO_COLOR
/// (https://no-color.org), the locale, and its size (COLUMNS and LINES where it tells none; 80 × 24
/// else).
report::Terminal terminalHere();

} // namespace tidemark::cli
