// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/program_input.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::program {

/// The allocations of one device as the search looks at them: sizes, lifetimes, order, and the
/// kinds that are believed. A view of the replay: does not outlive it.
struct Observed {
    std::span<const Bytes> bytes; ///< Requested. Index = AllocationId, ordered by `begin`.
    std::span<const StateId> begin;
    std::span<const StateId> end;
    std::vector<Usage> kind;
    std::int64_t gathered_per_shard = 1; ///< See `ProgramInput`.
    std::int32_t element_bytes = 0; ///< The same.
    std::vector<std::int64_t> held; ///< Per state: bytes of `Usage::saved`.
    std::int64_t most_held = 0;

    [[nodiscard]] std::size_t count() const
    {
        return bytes.size();
    }
    [[nodiscard]] std::size_t stateCount() const
    {
        return held.size();
    }
    /// Bytes; of a shard of a weight, its gradient or its state those of the whole.
    [[nodiscard]] std::int64_t size(std::size_t a) const
    {
        return bytes[a].value * (isShard(kind[a]) ? gathered_per_shard : 1);
    }
    [[nodiscard]] bool isShard(Usage of) const
    {
        return gathered_per_shard > 1
            && (of == Usage::weight || of == Usage::gradient || of == Usage::state);
    }
    /// States in which the allocation lives.
    [[nodiscard]] std::int64_t life(std::size_t a) const
    {
        return static_cast<std::int64_t>(end[a].value) - static_cast<std::int64_t>(begin[a].value);
    }
    /// Whether next to nothing was saved when the allocation was made, though the run saves: then
    /// an optimizer steps, or a model is loaded.
    [[nodiscard]] bool isMadeBetweenPasses(std::size_t a) const;
};

/// Takes over the kinds. Where hardly anything that is made early and stays is called a weight,
/// exactly that is taken for the weights, unless a certain claim says otherwise. O(allocations +
/// states).
Observed observe(const replay::DeviceReplay& replay, const ProgramInput& evidence);

/// The allocations among `members` that live in the state where the sum of their bytes is largest.
/// O(members + states).
std::vector<std::size_t> aliveAtMost(const Observed& observed,
                                     std::span<const std::size_t> members);

} // namespace tidemark::program
