// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/compare/alignment.h"
#include "core/compare/run_traits.h"
#include "core/compare/side.h"

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

/// One respect in which the runs differ, and how much of the difference it explains.
struct Change {
    ChangeOf of = ChangeOf::model;
    std::optional<double> ratio; ///< B to A.
    std::string from; ///< Of A: "128", "fp32".
    std::string to;
    std::string evidence; ///< One sentence: what shows it.
    std::string apply; ///< As `predict --apply` takes it; empty: it knows no such change.
    Bytes explains; ///< Of the difference; signed.
    bool is_beside = false; ///< Of the model: weights beside those that both have.
};

/// Whether there is a change in that respect.
bool hasChange(const std::vector<Change>& changes, ChangeOf of);

/// How sizes follow the changes of batch and sequence, and of elements.
struct Growths {
    double sequence = 1;
    double batch = 1;
    double rows = 1; ///< Where it is not known which of them.
    bool changes_width = false; ///< Elements may have half or twice the bytes.
};

/// The allocations of one size and use in A that have partners of one size and use in B.
struct SizePair {
    std::uint32_t use_a = 0; ///< Index into the program's sizes.
    std::uint32_t use_b = 0;
    std::int64_t count = 0;
};
/// By use in A, then in B. O(allocations log).
std::vector<SizePair> sizePairs(const Side& a, const Side& b, const Alignment& alignment);

/// Where saved tensors of one size are made.
struct SavedSpot {
    PlaceId place;
    std::int64_t bytes = 0;
    friend constexpr auto operator<=>(const SavedSpot&, const SavedSpot&) = default;
};

struct FoundChanges {
    std::vector<Change> changes; ///< `explains` is not set yet.
    Growths growths;
    bool is_other_model = false; ///< Else a change of the model is of weights beside it.
    bool is_later_dump = false; ///< B of the same run as A: its trace begins with all of A's.
    std::vector<StackId> leaking_a; ///< What rises from step to step.
    std::vector<StackId> leaking_b;
    std::set<SavedSpot> in_flight; ///< What waits for backward in another number.
    /// Dimensions that both sizes and programs leave open, one sentence each.
    std::vector<std::string> open;
};

/// What changed from A to B. Dimensions are what both programs state, or what one of them and the
/// ratios at matched places tell; nothing that the ratios contradict is said. O(size pairs).
FoundChanges findChanges(const Side& a, const RunTraits& traits_a, const Side& b,
                         const RunTraits& traits_b, const std::vector<SizePair>& pairs);

} // namespace tidemark::compare
