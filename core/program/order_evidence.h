// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/observed.h"
#include "core/program/size_table.h"
#include "core/program/weight_names.h"

#include <cstdint>
#include <map>
#include <utility>

namespace tidemark::program {

/// What is made right after what: evidence that sizes alone do not give, since many products of
/// other dimensions have the same value.
struct OrderEvidence {
    /// Sequence → how often positions (8 bytes each, as `torch.arange` makes them) were followed by
    /// their square in bytes, a causal mask:
    ///
    ///     arange(L): 8 · L     positions[:, None] >= positions: L · L
    std::map<std::int64_t, std::int64_t> squares;
    /// Size of a 2-byte copy of a matrix → what was made next → how often. Autocast casts the
    /// weight, then the linear layer makes its output: rows · a width of a weight · 2.
    ///
    ///     input as 2 bytes     weight as 2 bytes     output
    std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> after_copies;

    /// Elements of row statistics and how many of them each is of → how often `max` over a
    /// dimension made values and indices of them, right after what it searched: attention matrices
    /// whose softmax is written by hand, rows · heads of them, each of a sequence.
    ///
    ///     matrix: n · L · 4 (or · 2)     values: n · 4 (· 2)     indices: n · 8
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> maxima;

    /// 0 to 1: how far maxima speak for a shape in a model of so many layers.
    [[nodiscard]] double forHeads(std::int64_t tokens, std::int64_t heads, std::int64_t sequence,
                                  std::int64_t layers) const;
    /// 0 to 1: how far the squares speak for a sequence in a model of so many layers.
    [[nodiscard]] double forSequence(std::int64_t sequence, std::int64_t layers) const;
    /// 0 to 1: share of the outputs after copies that are rows of these widths in 2 bytes; one half
    /// where there are no copies but those that may be 4-byte rows themselves.
    [[nodiscard]] double forTokens(std::int64_t tokens, const Widths& widths) const;
};

/// Whether a size is rows of one of the widths in so many bytes an element.
bool isRow(std::int64_t bytes, std::int64_t tokens, std::int32_t element, const Widths& widths);

/// One pass over the allocations.
OrderEvidence findOrder(const Observed& observed, const SizeTable& sizes, const Widths& widths);

} // namespace tidemark::program
