// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/comparer.h"
#include "ui/models/rows_model.h"

#include <cstddef>

namespace tidemark::ui {

/// `source` of the row that stands for the frames of libraries.
inline constexpr std::size_t kLibraryFrames = 0;

/// Where both runs make what is at a place: the frames of one stack of each, the program's own
/// first, innermost first and laid beside each other by function and file, with their lines; those
/// of libraries below, in one row unless all are shown. What only one of them calls is strong. A
/// run that has nothing there, or no stack, has no lines. O(frames²).
[[nodiscard]] TextTable stacksTable(const ComparedRuns& runs, std::size_t place,
                                    bool shows_libraries = false);

} // namespace tidemark::ui
