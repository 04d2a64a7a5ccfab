// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/living.h"

#include <set>

namespace tidemark::compare {

/// Places in a loop over the sequence, as of a recurrence or a scan. They make what holds one
/// element of it, so a sequence twice as long shows there as twice as many of the same sizes:
///
///     A  cell: 64 × 1 MiB        B  cell: 128 × 1 MiB
struct LoopCounts {
    /// Of what they make, B to A: about that of the turns, since a loop's first may make more. 1:
    /// no loop has another number of turns.
    double ratio = 1;
    std::set<PlaceId> places;
};

/// Looks at passes that both runs have. Another number of equal things at a place may also be of
/// another model, or of activations that are recomputed: the caller knows. O(allocations log).
LoopCounts findLoopCounts(const Both& both);

} // namespace tidemark::compare
