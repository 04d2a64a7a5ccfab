// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/curves/step_growth.h"
#include "core/diagnose/facts/facts.h"

#include <cstdint>
#include <optional>

namespace tidemark::diagnose {

/// Memory that grows with every step, batch or token, so that how much the run needs depends on how
/// long it runs.
enum class GrowthKind : std::uint8_t {
    none,
    leak, ///< The same stack leaves more alive after each step.
    evaluation, ///< Results collected over evaluation batches.
    cache, ///< The cache of a generation.
};

/// Steps, batches or tokens that have to hold more before growth is told.
inline constexpr std::uint32_t kFewestTurns = 3;

struct Growth {
    GrowthKind kind = GrowthKind::none;
    StackId stack; ///< The stack that holds most of it.
    std::int64_t bytes = 0; ///< Live at the moment.
    std::int64_t per_turn = 0; ///< Added per step, batch or token.
    std::uint32_t turns = 0; ///< In how many steps or batches it was seen to grow.
    /// What stays is the graph of forward passes that no backward followed.
    bool is_graph = false;
    /// Each batch's results are joined to those before: the old and the new are there together.
    bool is_joined = false;
    /// Of a leak: what its stack held at the ends of the steps before the moment, if there were
    /// enough of them.
    std::optional<curves::StackGrowth> trend{};
};

/// The growth that holds most bytes at the moment, if any holds a relevant share. O(allocations).
Growth findGrowth(const Facts& facts);

// Growth that shows inside one pass: the same stacks allocate again and again. O(allocations).

/// Something made anew by the same stack, each time longer by the same amount, as a cache or a
/// collection is that `cat` extends. Several at a time (layers) are a cache, one is a collection.
Growth findLengthening(const Facts& facts);

/// Whole forward passes one after another with no backward between them, all of whose activations
/// are alive: a loss or an output that is kept holds its graph, or evaluation builds graphs.
/// Criterion: every line of a complete pass that it goes through, it goes through three times as
/// often or more.
Growth findKeptGraph(const Facts& facts);

/// The same bytes from the same places in every complete step or evaluation batch, none of which is
/// freed before the recording ends.
struct Kept {
    StackId stack; ///< Of most of it.
    std::int64_t per_turn = 0;
    std::uint32_t turns = 0; ///< Steps or batches, three at least.
    bool is_evaluation = false;
};

/// `growth`: of the same facts. O(allocations log steps).
std::optional<Kept> findKept(const Facts& facts, const Growth& growth);

} // namespace tidemark::diagnose
