// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <span>

namespace tidemark::curves {

/// Kendall's S of a series in time: pairs that rise minus pairs that fall. O(n²).
std::int64_t kendallS(std::span<const std::int64_t> values);

/// How likely a series of the same values in random order would rise at least as much (the
/// one-sided Mann–Kendall test): small where it really rises. Exact with ties up to 18 values,
/// beyond that by the normal approximation corrected for ties. 1 for fewer than two values or where
/// all are equal. O(n²).
double trendSignificance(std::span<const std::int64_t> values);

/// The median slope between all pairs (Theil and Sen), which single outliers do not move. `at` are
/// the increasing positions of the values. 0 for fewer than two. O(n² log n).
double medianSlope(std::span<const std::uint32_t> at, std::span<const std::int64_t> values);

} // namespace tidemark::curves
