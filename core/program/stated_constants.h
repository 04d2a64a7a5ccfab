// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidemark::program {

// The numbers that decide what is stated; those of the search, and how they are written: see
// constants.h.

// ---- What is stated (structure.cpp, statements.cpp). Chosen so that nothing wrong is stated of 55
// recordings; docs/program.md says what that is worth at first sight ----

/// Smaller allocations tell nothing about a structure.
inline constexpr std::int64_t kSmallestTelling = 256;
/// Share of the bytes of repeated matrices that hidden divides. 0.5 to 0.99 alike: a transformer's
/// all are.
inline constexpr double kFewestDivided = 0.9;
/// Widest matrix of a layer, times hidden: an eighth (tensor parallelism) of a feed-forward's 2.7.
inline constexpr double kLeastWidest = 0.3;
/// Rows of hidden, and of another width, that each layer makes at least.
inline constexpr double kFewestRowsPerLayer = 1;
/// Matrices with hidden as a side that each layer has: queries, keys and values in one, outputs, up
/// and down are four, in parallel layers fused to fewer; and where none is wider than hidden, since
/// several devices share them, so many in so many layers.
inline constexpr double kFewestMatrices = 2;
inline constexpr double kFewestMatricesAlone = 4;
inline constexpr std::int64_t kFewestLayersAlone = 4;
inline constexpr std::int64_t kNarrowestHidden = 32; ///< Below it is a state or a head.
/// A transformer's layer has two normalisations.
inline constexpr double kFewestNorms = 2;
/// Share of the repeated matrices that are convolutions with kernels of 3 × 3 between channels.
inline constexpr std::int64_t kKernelElements = 9;
inline constexpr double kMostConvolutions = 0.2;
/// Share of the evidence of sizes that products explain. Transformers: 0.86 to 0.98; what is none:
/// 0.16 to 0.85.
inline constexpr double kFewestExplained = 0.75;
inline constexpr double kMostLost = 0.1; ///< Of that share, to what a person said.
/// Sequences below are rare, so a short one has to be this much better than the next.
inline constexpr std::int64_t kUsualSequence = 64;
inline constexpr double kLeastShortSequenceGap = 0.03;
/// Nearer to the next hypothesis the choice is chance: of sequences with a gap below 0.02 in drawn
/// programs half were wrong, and none of 55 recordings needs less; of heads above 0.005 all but one
/// were right.
inline constexpr double kLeastSequenceGap = 0.02;
/// So many alternatives are heard on how sizes grow. Bound of work.
inline constexpr std::size_t kMostRivals = 5;
inline constexpr double kLeastHeadsGap = 0.005;

/// Confidence, 0 to 1. Of hidden: the weights' score of this much is all that can be seen. Of
/// layers and of keys' and values' width: so much. Of rows: nothing at the first score, all that
/// much above it, and less with fewer sizes than these; then by the gap to the next hypothesis,
/// from a tie on.
inline constexpr double kFullWeightScore = 2.5;
inline constexpr double kLayersConfidence = 0.9;
inline constexpr double kKvConfidence = 0.7;
inline constexpr double kNoTrustScore = 0.65;
inline constexpr double kTrustSpan = 0.25;
inline constexpr double kEnoughSizes = 8;
inline constexpr double kTieConfidence = 0.4;
inline constexpr double kGapConfidence = 8;
inline constexpr double kNoRival = 1; ///< The gap where there is no other hypothesis.

/// Alternatives: so much behind they are none; at most so many; of another number of layers this
/// weight. Sizes named as evidence: at most so many.
inline constexpr double kAlternativeGap = 0.05;
inline constexpr std::size_t kMostAlternatives = 4;
inline constexpr double kOtherLayersWeight = 0.3;
inline constexpr std::size_t kMostEvidenceSizes = 3;

} // namespace tidemark::program
