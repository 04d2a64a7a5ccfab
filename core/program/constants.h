// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tidemark::program {

// Every number that the search was given, with what it means, where it comes from and how much
// depends on it. "Sensitivity" says what was measured: dimensions right of 317 in recordings with
// truth when the rule is switched off (311 with all of them), else how far the number may move
// before a dimension changes. Numbers without it are bounds of work or plain facts of PyTorch.

// ---- Facts of PyTorch and of its libraries ----

/// Bytes of a float32, the width of weights unless a program asks for another.
inline constexpr std::int32_t kFullPrecisionBytes = 4;

// ---- Which allocations are the weights (observed.cpp, weight_set.cpp) ----

/// What is made in this first share of the trace and never freed lasts for the whole run.
inline constexpr double kEarlyShare = 0.15;
/// Labels are believed unless they call less than this share of what lasts weights. Matters only
/// without frames; from 0.1 to 0.6 alike.
inline constexpr double kLastingShare = 0.3;
/// Fewer bytes are no set of gradients or states.
inline constexpr std::int64_t kFewestSetBytes = 100'000;
/// Of a model's bytes: where all else is trained, what is not and holds no more is its buffers.
inline constexpr double kMostBuffers = 0.02;
/// An optimizer keeps no more than so many states of a weight's size.
inline constexpr std::int64_t kMostStates = 4;

// ---- Hidden size and width of an element (weight_set.cpp) ----

/// A dimension with fewer elements is not told from chance.
inline constexpr std::int64_t kFewestElements = 16;
/// Longer vectors are tables.
inline constexpr std::int64_t kMostVectorElements = 65'536;
/// A size above 1 / this of the largest is a matrix.
inline constexpr std::int64_t kSmallestMatrixShare = 4096;
/// Rows of a matrix that counts as divided by hidden.
inline constexpr std::int64_t kFewestRows = 4;
/// Worth of: a matrix size that hidden divides (all of them: this much), a square matrix of hidden,
/// vectors of that length (all of them: this much), four bytes an element. Half or twice of each
/// changes no dimension where several readings go on; see kMostHidden.
inline constexpr double kSharedSizesWeight = 0.5;
inline constexpr double kSquareMatrixWeight = 0.6;
inline constexpr double kVectorWeight = 0.8;
inline constexpr double kFullPrecisionBonus = 0.2;
/// Readings this near to the best go on to the search of activations, since 512 · 2 B and 256 · 4 B
/// look alike in weights. One alone: 309.
inline constexpr double kHiddenMargin = 0.4;
inline constexpr std::size_t kMostHidden = 4;
inline constexpr std::size_t kMostWeightSizes = 200; ///< Bound of work.

// ---- Layers and names of factors (weight_names.cpp) ----

/// A matrix size counts for the layers above this share of the weights' bytes.
inline constexpr double kWeightyShare = 0.005;
/// The number of layers divides the counts of this share of the matrices.
inline constexpr double kDividedShare = 0.8;
inline constexpr std::int64_t kMostLayers = 256;
/// Where no number divides exactly: the fewest layers, and how many matrices may be left over.
inline constexpr std::int64_t kFewestUnevenLayers = 6;
inline constexpr std::int64_t kUnevenLayers = 2;
/// Order of creation: a layer has at least so many sizes; the period is at most so long, must cover
/// this share, and a longer one this much more.
inline constexpr std::size_t kFewestSizesOfALayer = 3;
inline constexpr std::size_t kLongestPeriod = 80;
inline constexpr double kPeriodCover = 0.6;
/// A model that was made in the trace is its layers one after the other, up to what comes before
/// and after them. Above two thirds, so that moments that are told as weights have no part in it.
inline constexpr double kWholeOrder = 0.75;
inline constexpr double kPeriodGain = 0.05;
inline constexpr std::size_t kMostOrdered = 20'000; ///< Bound of work.
/// A once-used factor below is no vocabulary, nor a table of positions.
inline constexpr std::int64_t kSmallestTable = 256;
/// A transformer's layers have the same number of vectors of hidden, and a few come after them.
/// Where weights and their moments are told as one, so many copies are tried.
inline constexpr std::int64_t kMostOtherVectors = 2;
inline constexpr std::int64_t kMostCopies = 4;
/// A factor below is no width, not even a router's or an adapter's.
inline constexpr std::int64_t kSmallestFactor = 2;
/// A factor of at least so many matrices is a width of the model.
inline constexpr std::int64_t kOftenEnough = 3;
/// What a product explains with a width that only vectors have, and with one that no weight has but
/// that is made in one piece (2 · feed-forward).
inline constexpr double kVectorPrior = 0.9;
inline constexpr double kDerivedPrior = 0.6;

// ---- Evidence of sizes (size_table.cpp) ----

/// Shares of a size's evidence. Without the last: 296.
inline constexpr double kEvidenceOfBytes = 0.25;
inline constexpr double kEvidenceOfByteStates = 0.25;
inline constexpr double kEvidenceOfDistinct = 0.5;
inline constexpr std::int64_t kSmallestDistinct = 64;
inline constexpr std::int64_t kSmallestSize = 16;
inline constexpr std::int64_t kSmallestInput = 64;
inline constexpr std::size_t kMostSizes = 60; ///< Bound of work; recordings have 17 to 100.
/// Below this share of the most that is ever saved, nothing counts as saved: an optimizer steps.
inline constexpr double kHeldShare = 0.05;
/// How far a size is explained because a weight or its copy has it: where it is saved; where it
/// never is though the run saves; where each matrix has a copy of half its size. All 0: 307.
inline constexpr double kSavedWeightSize = 0.6;
inline constexpr double kUnsavedWeightSize = 0.85;
inline constexpr double kNarrowCopy = 0.9;
/// Of so many weights of one size one may be a table or a mask, which autocast does not copy.
inline constexpr std::int64_t kWeightsPerTable = 12;
inline constexpr double kRarelySaved = 0.02;

// ---- Regimes (readings.cpp, shape_search.cpp) ----

/// What a reading in 2 bytes is worth in either regime. One regime for all: 307.
inline constexpr double kNarrowRegimeNarrowPrior = 0.97;
inline constexpr double kFullRegimeNarrowPrior = 0.3;
/// The narrow regime with few copies of weights: this much less.
inline constexpr double kWrongRegime = 0.045;
inline constexpr double kFewCopies = 0.3;
/// The narrow regime where more of the weights' bytes have no copy at all.
inline constexpr double kMostUncopied = 0.5;
inline constexpr double kImpossibleRegime = 0.5;
/// Copies of fewer of the weights' bytes tell nothing of the regime.
inline constexpr double kFewestTold = 0.05;

// ---- What a product explains (readings.cpp): how sure a size which equals it is it ----

inline constexpr double kFrequentIdsPrior = 0.6; ///< tokens · 8 more often than once a layer.
inline constexpr std::int64_t kManyIds = 8;
inline constexpr double kNarrowStatisticsPrior = 0.75; ///< Statistics are kept in float32.
inline constexpr double kByteRowPrior = 0.3;
inline constexpr double kDropoutMaskPrior = 0.4; ///< CUDA keeps one byte an element.
inline constexpr double kByteWidthPrior = 0.1;
inline constexpr double kMatrixPrior = 0.95;
inline constexpr double kByteMatrixPrior = 0.8;
inline constexpr double kByteMatrixAlone = 0.1; ///< A mask of the matrices' shape needs matrices.
inline constexpr double kLongMatrixPrior = 0.6; ///< A mask of the matrices counted in int64.
inline constexpr double kMaskPerSample = 0.6; ///< Of the prior of a matrix.
inline constexpr double kByteMaskPrior = 0.9;
inline constexpr double kHeadStatisticsPrior = 0.95;
inline constexpr double kNarrowHeadStatisticsPrior = 0.8;
inline constexpr double kHeadIndicesPrior = 0.9; ///< Of `max` over each row, with its values.
inline constexpr double kHeadIndicesAlone = 0.3; ///< Without values, or without matrices to search.
inline constexpr double kKvHeadStatisticsPrior = 0.9; ///< Of keys that are normalised per head.
inline constexpr double kKvHeadsAlone = 0.2;
inline constexpr double kRotaryPrior = 0.85;
inline constexpr double kNarrowRotaryPrior = 0.6;
inline constexpr double kRotaryPerTokenPrior = 0.75;
inline constexpr double kHalfRowPrior = 0.85;
inline constexpr double kNarrowHalfRowPrior = 0.8;
/// Rotary embedding halves queries and keys, two of the six or more rows of hidden of a layer.
inline constexpr double kHalvesPerRow = 0.7;
inline constexpr double kPositionsPrior = 0.95;
inline constexpr double kNarrowPositionsPrior = 0.8;
inline constexpr double kPositionRowsPrior = 0.8;
inline constexpr double kNarrowPositionRowsPrior = 0.6;
inline constexpr double kSamplesPrior = 0.5;
inline constexpr double kPerSamplePrior = 0.7;
inline constexpr double kNarrowPerSamplePrior = 0.5;
inline constexpr double kNarrowLastLogitsPrior = 0.6;
inline constexpr double kShiftedIdsPrior = 0.8;
inline constexpr double kShiftedStatisticsPrior = 0.7;
inline constexpr double kShiftedLogitsPrior = 0.9;
inline constexpr double kNarrowShiftedLogitsPrior = 0.8;
/// How often something without a batch may be made: a quarter as often as rows of hidden; so often
/// always; beyond, its prior is multiplied by this. Without the limits: 303.
inline constexpr double kRowsPerUnbatched = 4;
inline constexpr double kAlwaysFew = 6;
inline constexpr double kTooOften = 0.3;

// ---- Rows (row_search.cpp) ----

inline constexpr std::int64_t kMostTokens = 1LL << 22;
inline constexpr double kInputVote = 0.1; ///< Without inputs: 311, other batches less sure.
inline constexpr double kInputRowsBonus = 0.08;
inline constexpr std::size_t kMostVoted = 60; ///< Bound of work.
inline constexpr std::size_t kMostRowCounts = 16; ///< Bound of work.
/// Logits are made a few times, or once for so many rows of hidden; looked for in so many row
/// counts.
inline constexpr double kMostLogits = 12;
inline constexpr double kRowsPerLogits = 8;
inline constexpr std::size_t kRowCountsForLogits = 3;
inline constexpr std::size_t kReadingsPerWidth = 3;

// ---- Batch, sequence, heads (shape_search.cpp) ----

inline constexpr std::int64_t kMostBatch = 65'536;
inline constexpr std::int64_t kShortestSequence = 16;
inline constexpr double kInputShapeBonus = 0.05;
inline constexpr double kSequenceBelowBatch = 0.03;
inline constexpr double kShortSequence = 0.03;
/// Per doubling of the sequence, up to 256. Without it: 311, two predictions worse.
inline constexpr double kLongSequenceBonus = 0.003;
inline constexpr double kLongSequenceDoublings = 8;
inline constexpr double kOddBatch = 0.004;
inline constexpr double kPositionTableBonus = 0.01; ///< A once-used weight has as many rows.
inline constexpr double kBeyondPositions = 0.01; ///< A sequence longer than such a table.
inline constexpr std::size_t kMostHypotheses = 400; ///< Bound of work.
/// Bits of surprise, times the evidence, times this. Without: 309.
inline constexpr double kRarity = 0.1;
inline constexpr double kMostRarity = 5;
inline constexpr double kExplains = 0.5;
/// Rows of feed-forward in both halves of each layer, or in one: see norm_intervals.h. Without:
/// 311, three predictions of "sequence" 7 to 28 % off.
inline constexpr double kSideBonus = 0.02;
/// Of all intervals with rows of hidden, where passes cannot be told apart because nothing is
/// saved: a size in at least the first share of them is in both halves, in at most the second in
/// one.
inline constexpr double kBothHalves = 0.85;
inline constexpr double kOneHalf = 0.6;
/// Heads: bounds, widths that libraries build kernels for, and what each is worth where sizes leave
/// several open. Only ties depend on it.
inline constexpr std::int64_t kFewestHeads = 2;
inline constexpr std::int64_t kMostHeads = 256;
inline constexpr std::int64_t kNarrowestHead = 16;
inline constexpr std::int64_t kWidestHead = 512;
inline constexpr std::array<std::int64_t, 2> kMostUsualHeadWidths{64, 128};
inline constexpr std::array<std::int64_t, 5> kUsualHeadWidths{32, 48, 80, 96, 256};
inline constexpr std::array<std::int64_t, 4> kOwnHeadWidths{32, 64, 128, 256};
inline constexpr double kMostUsualHeads = 0.02;
inline constexpr double kUsualHeads = 0.012;
inline constexpr double kPossibleHeads = 0.004;
inline constexpr double kHeadsOfOwnWidth = 0.005;

/// Positions followed by their square once a layer: this much for that sequence. Maxima of
/// attention matrices once a layer: this much for that shape. Outputs after copies
/// of weights that are all rows in 2 bytes: half of this more, none of them: half of it less.
inline constexpr double kSquareBonus = 0.03;
inline constexpr double kMaximaBonus = 0.02;
inline constexpr double kAfterCopyWeight = 0.1;
inline constexpr double kUndecided = 0.5;

// ---- Which reading of the weights and activations together (solution.cpp) ----

/// Worth of the weights' score beside that of the activations.
inline constexpr double kWeightsInJoint = 0.15;

// ---- Readings of each size under the best hypothesis (size_readings.cpp) ----

/// Smaller allocations are neither attention matrices nor worth telling from them.
inline constexpr std::int64_t kSmallestMatrixBytes = 1 << 14;
inline constexpr std::int64_t kSmallestOtherMatrix = 1 << 16;
/// A reading that has less prior than the best by this is dropped; one this near counts as well as
/// the best; one above the third is possible; one above the last is sure.
inline constexpr double kFarLessLikely = 0.45;
inline constexpr double kAboutAsGood = 0.15;
inline constexpr double kStillPossible = 0.45;
inline constexpr double kSurePrior = 0.8;
inline constexpr double kUsualEnough = 0.01; ///< Of other heads, to be an alternative.

} // namespace tidemark::program
