// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::report {

/// The stacked bands of one device by event, with the reserved line, the capacity, the peak, the
/// OOM events, the phases and a legend, as one SVG element to stand inside an HTML page. `id`
/// keeps apart the names inside several of them on one page.
std::string timelineSvg(const diagnose::Analysis& analysis, std::size_t device,
                        std::string_view id);

/// What the drawing shows, in one sentence.
std::string timelineSentence(const diagnose::Analysis& analysis, std::size_t device);

/// The bytes that the vertical scale of a device's drawing has to reach.
Bytes timelineTop(const diagnose::Analysis& analysis, std::size_t device);

} // namespace tidemark::report
