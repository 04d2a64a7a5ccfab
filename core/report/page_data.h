// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/difference.h"
#include "core/diagnose/analysis.h"
#include "core/job/job.h"
#include "core/report/documents.h"

#include <cstddef>
#include <string>

namespace tidemark::report {

// What the script of a page (resources/page/page.js) draws, as JSON of one line; empty where there
// is nothing to draw. Sizes are exact requested bytes; `x` counts what the axis does. Texts come
// from a pool, names from files among them are plain text.

/// The main device: its columns, when they were, the phases, and of the peak and the last OOM the
/// allocations and the stacks. Lists are cut to the largest, and say how much is left out. In
/// `devices` the same of the others with the highest peaks, shorter the more there are.
std::string pageData(const diagnose::Analysis& analysis);
inline constexpr std::size_t kPageAllocations = 5'000; ///< Of each moment.
inline constexpr std::size_t kPageCalls = 4'000; ///< Of each tree.
inline constexpr std::size_t kPageDevices = 16; ///< With the main one.

/// Both main devices on one axis.
std::string pageData(const diagnose::Analysis& a, const diagnose::Analysis& b,
                     const compare::Difference& difference, const Letters& letters);

/// The ranks that a page draws, on one clock.
std::string pageData(const job::Job& job);

} // namespace tidemark::report
