// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark {

// One function per quantity, used by the window, the command line and the reports alike.
// Never the system's locale: marks and groups are those of the language in use (language.h).

/// "1.37 GiB", "358.00 MiB", "12.00 KiB", "512 B"; two decimals, binary units, "-" sign kept.
std::string formatBytes(Bytes bytes);
/// "+1.37 GiB", "−358.00 MiB", "0 B": a difference.
std::string formatDifference(Bytes bytes);
/// "2.33 GiB to 3.83 GiB"; one figure where both ends read the same.
std::string formatBytes(Bytes least, Bytes most);
/// As `formatBytes`; "unknown" without a figure.
std::string formatKnown(const std::optional<Bytes>& bytes);
/// Always in GiB with two decimals and the unit: for columns that are compared by eye.
std::string formatGiB(Bytes bytes);
/// All digits, grouped: "1,073,741,824 B". For tooltips.
std::string formatExactBytes(Bytes bytes);
/// "12,345".
std::string formatCount(std::int64_t count);
/// "78 %" (a ratio of 0.78); "< 1 %" for tiny non-zero shares.
std::string formatPercent(double ratio);
/// "1.50 s", "12.3 ms", "950 µs", "2 min 05 s".
std::string formatDuration(Duration duration);
/// "event 12,345", or "start" for −1.
std::string formatEventNumber(std::int64_t event);
/// Shortens in the middle at a path separator: "/home/…/train/model.py". Never longer than
/// `max_chars` unless the file name alone is longer.
std::string shortenPath(std::string_view path, std::size_t max_chars);
/// Last component of a path with either separator.
std::string_view baseName(std::string_view path);

} // namespace tidemark
