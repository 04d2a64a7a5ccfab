// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/allocator_difference.h"
#include "core/compare/attribution.h"
#include "core/compare/compare.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::compare {

/// Which moments are held against each other.
enum class At : std::uint8_t {
    peaks, ///< The larger of both peaks, and the same place in the other run.
    peak_a, ///< A's peak and the same place in B.
    peak_b,
    start, ///< Of both traces.
    end,
    event, ///< A moment of A and the same place in B.
    events, ///< A moment of each.
};

struct DifferenceOptions {
    std::size_t device_a = 0; ///< Indices into the snapshots' devices.
    std::size_t device_b = 0;
    AlignOptions align;
    At at = At::peaks;
    StateId state_a; ///< For `At::event` and `At::events`.
    StateId state_b; ///< For `At::events`.
    bool predicts = true; ///< Put the prediction from A beside B's measurement.
};

/// What `predict` says of A with the changes that were found, beside what B measured.
struct PredictedBeside {
    std::string apply; ///< "sequence=8,precision=bf16".
    diagnose::Prediction prediction;
    label::BucketBytes buckets{}; ///< Of the changed run at its moment that counts.
};

/// All that is said of two runs.
struct Difference {
    Comparison headline; ///< Both at their own peaks.
    std::vector<std::string> sentences; ///< The answer, first things first; its last one says what
                                        ///< is unexplained.
    At at = At::peaks;
    Attribution parts;
    /// Where the peaks lie: "backward of step 1"; empty: not known.
    std::string place_a;
    std::string place_b;
    AllocatorDifference allocator;
    std::optional<PredictedBeside> predicted;
    bool is_other_model = false;
    std::vector<std::string> open; ///< What is not identified.
    std::vector<std::string> warnings; ///< Those of the headline, and what still holds.
    std::size_t allocations_a = 0;
    std::size_t allocations_b = 0;
    std::size_t matched = 0; ///< Pairs.
};

/// Aligns two runs, finds what changed between them, and says how many bytes of the difference each
/// change explains. Requires replay, labels and curves in both, and block sizes for the allocators
/// and the prediction. O(allocations log allocations). Requires states within the traces.
Difference findDifference(const diagnose::Analysis& a, const diagnose::Analysis& b,
                          const DifferenceOptions& options);

/// The main device of each.
DifferenceOptions mainDevices(const diagnose::Analysis& a, const diagnose::Analysis& b);

} // namespace tidemark::compare
