// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/readings.h"
#include "core/program/size_score.h"

#include <cstdint>
#include <vector>

namespace tidemark::program {

/// How many rows the activations may have.
struct RowCount {
    std::int64_t tokens = 0;
    double score = 0; ///< Share of the evidence that products with the rows explain.
    Explained explained;
};

/// Number of rows, best first, a bounded number; of those that agree with what was said.
///
///     size s ──▶ s / (width · element) for every width of the weights ──▶ votes ──▶ the best few
///     are
///                                                                          scored over all sizes
///
/// Every size votes for each number of rows that makes it a product; the number that most evidence
/// agrees on wins. O(sizes · widths + candidates · (widths + sizes)), all bounded.
std::vector<RowCount> findRowCounts(const ReadingContext& context, const SizeScore& score);

/// The once-used factor that shows as logits (rows · factor, a few times) under one of the best
/// row counts; 0: none does.
std::int64_t vocabularyInLogits(const ReadingContext& context, const std::vector<RowCount>& rows);

} // namespace tidemark::program
