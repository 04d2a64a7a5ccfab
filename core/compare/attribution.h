// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/changes.h"
#include "core/compare/living.h"
#include "core/compare/made_phases.h"
#include "core/compare/side.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::compare {

/// Allocations of one place and bucket that are alike in what became of them, and in what they are
/// called and which phase makes them in either run.
struct PlaceDifference {
    std::vector<AllocationId> ids_a; ///< Those of A that live then, the first one first.
    std::vector<AllocationId> ids_b;
    StackId stack_a; ///< With the most of their bytes; none where A has none or no stack.
    StackId stack_b;
    std::vector<StackId> stacks_a; ///< All of them: several lines may do the same there.
    std::vector<StackId> stacks_b;
    label::Bucket bucket = label::Bucket::unknown; ///< In B where it has them, else in A.
    label::Bucket bucket_a = label::Bucket::unknown; ///< In A; that of B where A has none.
    MovedPhase moved; ///< Where they are made in another phase.
    program::TensorKind what = program::TensorKind::unknown;
    Became became = Became::equal;
    std::int64_t count_a = 0;
    std::int64_t count_b = 0;
    bool is_one_size = false; ///< In each run all of them have the same size.
    Bytes a;
    Bytes b;
    std::optional<double> factor; ///< Of the size, where it is the same for all of them.
    std::optional<ChangeOf> change; ///< Of most of the bytes; unset: unexplained.
    Bytes unexplained; ///< Of b − a.

    /// Whether the same allocations are called something else.
    [[nodiscard]] bool isRelabelled() const
    {
        return count_a > 0 && count_b > 0 && bucket_a != bucket;
    }
    [[nodiscard]] bool movedPhase() const
    {
        return moved.a.has_value();
    }
    [[nodiscard]] Bytes delta() const
    {
        return b - a;
    }
};

/// A difference of two totals, to the byte.
struct Attribution {
    StateId at_a; ///< What is compared: the same place in both, unless said otherwise.
    StateId at_b;
    /// Of the run with the smaller peak: how much higher that peak is than its total at the place
    /// of the larger one. 0 where both peaks lie at one place.
    Bytes moved;
    std::vector<RunChange> changes; ///< With what each explains, the largest share first.
    /// Σ changes' `explains` + this is the difference.
    Bytes unexplained;
    std::vector<PlaceDifference> places; ///< The largest difference first; equal ones, too.
};

/// Holds what lives in A at `at_a` against what lives in B at `at_b`, allocation by allocation.
/// `moved_a` and `moved_b` are what the peaks are higher than these totals, one of them 0: it goes
/// to the changes in proportion, since they moved the peak. O(live log live + allocations).
Attribution attribute(const Both& both, StateId at_a, Bytes moved_a, StateId at_b, Bytes moved_b,
                      FoundChanges found);

} // namespace tidemark::compare
