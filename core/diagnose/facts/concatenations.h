// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

/// Results that a loop joins batch by batch: each link holds what the one before it held and the
/// newest batch, and the one before it goes as soon as it is made.
struct Concatenation {
    StackId stack;
    std::vector<AllocationId> links; ///< In order; each larger than the one before.
    /// Where nothing was joined before: the results, one per batch, that were to be joined.
    std::vector<AllocationId> parts;
    std::int64_t failed = 0; ///< Bytes of the next link, which was asked for and not given; or 0.
    std::int64_t live = 0; ///< Bytes of the links that live at the moment.

    /// Bytes of one batch: what a link adds, in the middle.
    [[nodiscard]] std::int64_t perBatch(const Facts& facts) const;
    /// Batches that the last link holds, one that failed included.
    [[nodiscard]] std::uint32_t batches(const Facts& facts) const;
    /// Batches that the first link holds: one, or two where the first batch stood alone.
    [[nodiscard]] std::uint32_t batchesOfFirst(const Facts& facts) const;
};

/// Those made outside of any module, in evaluation or inference, with three links or more, one that
/// failed included; or a request that failed and is as large as the results of several batches
/// together, or a little larger where a frame says that it joins them, padded to the longest.
/// Caches of keys and values grow so as well, but inside of modules. As they stood at the moment.
/// O(allocations · chains of a stack).
std::vector<Concatenation> findConcatenations(const Facts& facts);

} // namespace tidemark::diagnose
