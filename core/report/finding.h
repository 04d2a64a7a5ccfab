// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

#include <cstddef>
#include <string>

namespace tidemark::report {

/// What was found on one device, to paste into an issue: the verdict, what it rests on, the
/// cheapest fix with its lines, and the file. Markdown (CommonMark) of at most `kFindingLines`
/// lines that ends with a line break; what a file calls its code cannot be mark-up. `device` is an
/// index into the snapshot's devices; a file may have none. Requires a complete analysis.
std::string findingMarkdown(const diagnose::Analysis& analysis, std::size_t device);
inline constexpr std::size_t kFindingLines = 25;

} // namespace tidemark::report
