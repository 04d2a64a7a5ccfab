// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/allocator_difference.h"
#include "core/compare/attribution.h"
#include "core/compare/compare.h"
#include "core/compare/matched_moments.h"
#include "core/compare/settings.h"
#include "core/diagnose/prediction.h"

#include <cstddef>
#include <optional>
#include <stop_token>
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
    /// They are ranks of one job, which run one program: weights of other sizes are other shards or
    /// stages of one model.
    bool are_ranks = false;
    bool predicts = true; ///< Put the prediction from A beside B's measurement.
    bool lists_moments = false; ///< Fill `Difference::moments`.
    std::string letter_a = "A"; ///< What sentences call the runs.
    std::string letter_b = "B";
    std::stop_token stop{};
};

/// What a sentence is about.
enum class Says : std::uint8_t {
    headline,
    peaks, ///< That the peaks lie in different phases.
    change, ///< `index` of `Attribution::changes`.
    place, ///< `index` of `Attribution::places`.
    allocator,
    torch, ///< Another release.
    equal, ///< Buckets that are equal to the byte.
    open, ///< A dimension that is not identified.
    unexplained,
};
struct Sentence {
    Says says = Says::headline;
    std::string text;
    std::size_t index = 0;
    std::string brief; ///< Of a change or a place: "Precision (fp32 → autocast): −603 MiB".
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
    /// The answer, first things first: the headline is always there, and the last one says what is
    /// unexplained.
    std::vector<Sentence> sentences;
    At at = At::peaks;
    Attribution parts;
    /// Where the peaks lie: "backward of step 1"; empty: not known.
    std::string place_a;
    std::string place_b;
    AllocatorDifference allocator;
    std::vector<Setting> settings;
    std::vector<MatchedMoment> moments; ///< Empty unless asked for.
    /// Of these, where passes begin, turn and end.
    std::vector<MatchedMoment> boundaries;
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
/// and the prediction. O(allocations log allocations). Requires states within the traces. Once a
/// stop is requested it returns within a stage, with a result that is not complete.
Difference findDifference(const diagnose::Analysis& a, const diagnose::Analysis& b,
                          const DifferenceOptions& options);

/// What `predict` says of a run with changes that were found in another one whose peak differs by
/// `delta`; nullopt where one that matters is none that it knows, or block sizes are missing.
std::optional<PredictedBeside> predictBeside(const diagnose::Analysis& a, std::size_t device,
                                             const std::vector<RunChange>& changes, Bytes delta,
                                             const std::stop_token& stop = {});

/// The main device of each.
DifferenceOptions mainDevices(const diagnose::Analysis& a, const diagnose::Analysis& b);

} // namespace tidemark::compare
