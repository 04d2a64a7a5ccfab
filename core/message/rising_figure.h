// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/log_findings.h"

#include <optional>
#include <span>

namespace tidemark::diagnose {

/// The figure of memory in use that rises most over a log: printed at least five times, hardly ever
/// lower than before, and still rising in the second half, so that it is no warm-up. Peaks, which
/// can only rise, do not count. Its lines are not numbered yet. O(readings · log readings).
std::optional<RisingFigure> risingFigure(std::span<const MemoryReading> readings);

} // namespace tidemark::diagnose
