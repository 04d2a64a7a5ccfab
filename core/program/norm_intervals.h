// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/observed.h"

#include <cstdint>
#include <set>
#include <vector>

namespace tidemark::program {

/// What a pass makes between two normalisations.
struct NormInterval {
    std::vector<std::size_t> allocations; ///< Of the sizes asked for, in order.
};
using PassIntervals = std::vector<NormInterval>;

/// The statistics that a normalisation makes per row cut a layer into attention and feed-forward:
///
///     stat  q k v scores scores  stat  gate up act      stat  q k v scores …
///           └── attention ────┘        └─ feed-forward ┘
///
/// Allocations of `sizes` (of those saved for a backward pass, where any are) by the interval they
/// are made in; a pass ends where all of them are gone. Empty where there are not two statistics
/// (allocations of `statistics_bytes`) a layer. One pass over the allocations.
std::vector<PassIntervals> findNormIntervals(const Observed& observed,
                                             std::int64_t statistics_bytes,
                                             const std::set<std::int64_t>& sizes,
                                             std::int64_t layers);

/// In which halves of the layers a size is made.
enum class Halves : std::uint8_t { unknown, one, both };

/// From the intervals of each pass, two a layer or one; where nothing is saved, so that passes are
/// not told apart, from the share among all intervals that have rows of hidden. Two passes over the
/// allocations at most.
Halves halvesOf(const Observed& observed, std::int64_t bytes, std::int64_t statistics_bytes,
                const std::set<std::int64_t>& hidden_rows, std::int64_t layers);

} // namespace tidemark::program
