// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/language.h"
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/predict/laws.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// Whether an optimizer makes and drops it within its step.
inline bool isOptimizerTransient(const Subject& s)
{
    return s.bucket == label::Bucket::temporary
        && (s.phase == label::Phase::optimizer || s.role == label::Role::optimizer_transient);
}

/// What is left of an unfused call of attention where 16 bits let a fused kernel take it: of the
/// matrices a number per row, of the copies of queries, keys and values the result and its own
/// copy.
inline Amount withinFused(AttentionPart part)
{
    return part == AttentionPart::unfused_matrix ? Amount{0.015, 0.015, 1.5}
                                                 : Amount{0.125, 0.25, 0.5};
}

inline constexpr double kSmallestMatrix = 16384; ///< Elements; vectors get no adapter, nor 4 bits.

/// What 4-bit quantisation leaves of a weight of `bytes`, an element of which has `width` bytes:
/// half a byte an element with the scales of its blocks; vectors and experts keep their precision,
/// and so may the embedding, which is the upper end.
inline Amount quantisedFactor(const BlockWeights& weights, std::int64_t bytes, double width)
{
    return static_cast<double>(bytes) / width >= kSmallestMatrix && !weights.holdsExperts(bytes)
        ? Amount{0.516 / width, 0.54 / width, std::min(1.0, 0.75 / width)}
        : Amount::exactly(1);
}
inline constexpr std::string_view kQuantisedNote = toSay(
    "Quantized weights take 0.52 to 0.56 B per parameter; embeddings and norms keep their dtype.");

/// Where optimizers work, as states.
std::vector<Interval<StateId>> optimizerSpans(const Facts& facts);

/// O(log spans).
inline std::vector<Interval<StateId>>::const_iterator
firstEndingAfter(const std::vector<Interval<StateId>>& spans, StateId state)
{
    return std::ranges::upper_bound(spans, state, {}, &Interval<StateId>::end);
}

} // namespace tidemark::diagnose
