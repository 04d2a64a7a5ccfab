// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

#include <cstddef>
#include <iosfwd>
#include <limits>
#include <span>

namespace tidemark::report {

// One row per allocation, millions of them: written as they come, never held. O(allocations).
// `devices` as from `chosenDevices`.

/// The object that `labels --json` prints, with a line break at its end; of each device the first
/// `top` rows, and how many there are.
void writeLabelsJson(std::ostream& out, const diagnose::Analysis& analysis,
                     std::span<const std::size_t> devices,
                     std::size_t top = std::numeric_limits<std::size_t>::max());
/// Columns with one space between them.
void writeLabelsText(std::ostream& out, const diagnose::Analysis& analysis,
                     std::span<const std::size_t> devices,
                     std::size_t top = std::numeric_limits<std::size_t>::max());
/// Comma-separated with a header line, as RFC 4180 has it but for the line ends.
void writeLabelsCsv(std::ostream& out, const diagnose::Analysis& analysis,
                    std::span<const std::size_t> devices);

} // namespace tidemark::report
