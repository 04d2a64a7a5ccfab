// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/log_findings.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

// What nvidia-smi prints: its table of cards, its list of processes, and the CSV of
// `--query-gpu=… --format=csv` and `--query-compute-apps=… --format=csv`, with a heading.

/// A row of its list of processes.
struct SmiProcess {
    std::int64_t gpu = 0;
    std::int64_t pid = 0;
    std::int64_t mib = 0;
    bool computes = false; ///< "C", "C+G" or "M+C", not graphics alone.
};
/// "|    0   N/A  N/A   2086283      C   python   8231MiB |", below its heading or not.
std::optional<SmiProcess> smiProcess(std::string_view line);

/// Squeezed words at which such figures begin.
std::span<const std::string_view> smiAnchors();

/// Adds the figures of the table at `place`: "used", "total" and "free" of a card, "process" with
/// its id. False if the anchor is none of those above. O(table).
bool addSmiReadings(std::string_view log, std::size_t place, std::string_view anchor,
                    std::vector<MemoryReading>& readings);

} // namespace tidemark::diagnose
