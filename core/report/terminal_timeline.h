// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tidemark::report {

enum class ColourDepth : std::uint8_t {
    none,
    sixteen, ///< The terminal's own eight colours and their bright ones.
    palette, ///< 256: the cube of 6 × 6 × 6.
    full, ///< 24 bits.
};

/// What a terminal can show, and how much room there is.
struct Terminal {
    int columns = 80;
    int rows = 14; ///< Of the plot alone.
    ColourDepth depth = ColourDepth::none;
    bool has_unicode = true;
};

/// The stacked bands of one device by event, the phases and steps under them, the peak and the OOM
/// events marked, and a legend of the buckets at the peak. With 256 colours or more and Unicode the
/// bands are blocks of eighths of a line in the buckets' colours; else each bucket is a letter.
/// Every line ends with a line break and is at most `columns` wide; at least 40 columns and 4 rows
/// are drawn. O(columns · log states + steps). Requires labels and curves.
std::string terminalTimeline(const diagnose::Analysis& analysis, std::size_t device,
                             const Terminal& terminal);

} // namespace tidemark::report
