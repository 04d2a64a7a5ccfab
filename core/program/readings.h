// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/expression.h"
#include "core/program/size_table.h"
#include "core/program/weight_names.h"

#include <cstdint>
#include <vector>

namespace tidemark::program {

/// How activations are stored: mostly 4 bytes an element, or mostly 2 (autocast, half-precision
/// weights). The two are searched apart, since with free 2-byte readings every 4-byte file can be
/// read with half the rows.
enum class Regime : std::uint8_t { full, narrow };

/// A product of dimensions that a size may be.
struct Reading {
    std::int64_t bytes = 0;
    Expression expression;
    double prior = 0; ///< 0 to 1: how much of the size's evidence it explains.
};

/// What all readings of one view of the weights have in common.
struct ReadingContext {
    const WeightView& view;
    const WeightNames& names;
    const Widths& widths;
    const SizeTable& sizes;
    const Said& said;
    Regime regime = Regime::full;

    [[nodiscard]] double narrowPrior() const;
    /// At least 1.
    [[nodiscard]] std::int64_t layers() const
    {
        return names.layers > 0 ? names.layers : 1;
    }
};

/// Products with the rows alone: tokens · width · element, row statistics, token ids.
std::vector<Reading> readingsOfTokens(const ReadingContext& context, std::int64_t tokens);

/// Products that need rows to be batch · sequence: attention matrices, masks, positions, statistics
/// per head, what is per sample, shifted labels. `heads` 0: no attention matrix is looked for.
/// What a program makes at most a few times a layer has a low prior where it is more frequent.
std::vector<Reading> readingsOfSequence(const ReadingContext& context, std::int64_t tokens,
                                        std::int64_t sequence, std::int64_t heads);

/// Attention matrices in `width` bytes an element with a number of heads that no evidence chose.
Expression attentionMatrix(std::int32_t element_bytes);

} // namespace tidemark::program
