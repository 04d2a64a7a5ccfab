// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/message/log_findings.h"

#include <span>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

// What nvidia-smi prints: its table of cards, its list of processes, and the CSV of
// `--query-gpu=… --format=csv` and `--query-compute-apps=… --format=csv`, with a heading.

/// Squeezed words at which such figures begin.
std::span<const std::string_view> smiAnchors();

/// Adds the figures of the table at `place`: "used", "total" and "free" of a card, "process" with
/// its id. False if the anchor is none of those above. O(table).
bool addSmiReadings(std::string_view log, std::size_t place, std::string_view anchor,
                    std::vector<MemoryReading>& readings);

} // namespace tidemark::diagnose
