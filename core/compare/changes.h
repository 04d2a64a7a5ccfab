// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/compare/alignment.h"
#include "core/compare/attention_calls.h"
#include "core/compare/loop_counts.h"
#include "core/compare/run_traits.h"
#include "core/compare/side.h"
#include "core/diagnose/predict/change.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tidemark::compare {

/// In which respect two runs differ; in the order in which sizes are followed from A to B.
enum class ChangeOf : std::uint8_t {
    sequence,
    micro_batch,
    rows, ///< Batch or sequence: the sizes do not tell which.
    precision,
    lora,
    optimizer,
    checkpointing,
    attention,
    accumulation,
    in_flight, ///< More or fewer passes wait for their backward at once.
    graph, ///< One run computes without autograd and frees what the other saves for backward.
    phases, ///< One recording has a backward pass or an optimizer and the other has none.
    first_step, ///< One moment lies before the optimizer's first step, which makes its state.
    model,
    leak,
    compile,
};
/// In the words of `predict --apply` where it knows it: "micro-batch".
std::string_view idOf(ChangeOf of);
/// For people, in the language in use, inside a sentence or in a table.
std::string_view wordsOf(ChangeOf of);

/// Which of two runs came later.
enum class Later : std::uint8_t { none, a, b };

/// One respect in which the runs differ, and how much of the difference it explains.
struct RunChange {
    ChangeOf of = ChangeOf::model;
    std::optional<double> ratio; ///< B to A.
    std::string from; ///< Of A: "128", "fp32".
    std::string to;
    std::string evidence; ///< One sentence: what shows it.
    std::optional<diagnose::Change> apply; ///< As `predict` knows it.
    Bytes explains; ///< Of the difference; signed.
    bool is_beside = false; ///< Of the model: weights beside those that both have.
    Later later = Later::none; ///< Of a leak: what the later of two dumps of one run kept.
};

/// Whether there is a change in that respect.
bool hasChange(const std::vector<RunChange>& changes, ChangeOf of);

/// How sizes follow the changes of batch and sequence, and of elements.
struct Growths {
    double sequence = 1;
    double batch = 1;
    double rows = 1; ///< Where it is not known which of them.
    double width = 1; ///< Of elements that follow another precision.
};

/// The allocations of one size and use in A that have partners of one size and use in B.
struct SizePair {
    std::uint32_t use_a = 0; ///< Index into the program's sizes.
    std::uint32_t use_b = 0;
    std::int64_t count = 0;
};
/// Where saved tensors of one size are made.
struct SavedSpot {
    PlaceId place;
    std::int64_t bytes = 0;
    friend constexpr auto operator<=>(const SavedSpot&, const SavedSpot&) = default;
};

struct FoundChanges {
    std::vector<RunChange> changes; ///< `explains` is not set yet.
    Growths growths;
    bool is_other_model = false; ///< Else a change of the model is of weights beside it.
    /// Of one run dumped twice: its trace begins with all of the other one's.
    Later later_dump = Later::none;
    std::vector<StackId> leaking_a; ///< What rises from step to step.
    std::vector<StackId> leaking_b;
    std::set<PlaceId> loops; ///< Where the sequence shows as another number of allocations.
    std::set<SavedSpot> in_flight; ///< What waits for backward in another number.
    AttentionCalls attention; ///< Where another kind of attention makes other things.
    /// Dimensions that both sizes and programs leave open, one sentence each.
    std::vector<std::string> open;
};

/// What changed from A to B. Dimensions are what both programs state, or what one of them and the
/// ratios at matched places tell; nothing that the ratios contradict is said. `moment` is that
/// whose pass counts where each pass has a ratio of its own; ranks of a job have one model.
/// O(allocations log + size pairs).
FoundChanges findChanges(const Both& both, const RunTraits& traits_a, const RunTraits& traits_b,
                         SideMoment moment, bool are_ranks);

} // namespace tidemark::compare
