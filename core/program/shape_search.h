// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/observed.h"
#include "core/program/order_evidence.h"
#include "core/program/readings.h"
#include "core/program/row_search.h"
#include "core/program/size_score.h"

#include <cstdint>
#include <vector>

namespace tidemark::program {

/// How the rows come about.
struct Hypothesis {
    std::int64_t tokens = 0;
    std::int64_t sequence = 0; ///< Divides `tokens`; the batch is the rest.
    std::int64_t heads = 0; ///< 0: no attention matrix or per-head statistics.
    double score = 0; ///< About 0 to 1.2.
};

/// Batch, sequence and heads together, best first; a bounded number, of those that agree with what
/// was said.
///
///     for each of the best row counts T
///       for each divisor L of T, batch = T / L
///         for each H that makes some size T · L · H · element or T · H · 4
///           score = Σ evidence(s) · prior of the best product that is s
///                 + how rare it is to explain s (a size that all explain tells nothing)
///                 + what is more usual: heads 64 or 128 wide, sequences longer than the batch
///
/// Adds to `readings` how many products it held against sizes. Does not depend on the number of
/// allocations but for one pass per call over them, to tell attention from feed-forward.
std::vector<Hypothesis> findShapes(const ReadingContext& context, const SizeScore& score,
                                   const std::vector<RowCount>& rows, const Observed& observed,
                                   std::int64_t& readings);

/// How often statistics of so many heads are made, where that size is no product without heads; 0
/// where they are made less often than once a layer.
std::int64_t headStatistics(const ReadingContext& context, const Hypothesis& hypothesis);

/// How usual a number of heads is: 0 where it cannot be one.
double usualHeads(std::int64_t heads, const ReadingContext& context);

} // namespace tidemark::program
