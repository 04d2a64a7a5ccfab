// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/dimension_name.h"

#include <cstdint>
#include <vector>

namespace tidemark::program {

/// What an allocation is for, as far as sizes depend on it.
enum class Usage : std::uint8_t {
    unknown,
    weight,
    gradient,
    state, ///< The optimizer's.
    saved, ///< Kept for a backward pass.
    input,
    scratch, ///< Freed in the phase that made it.
    result, ///< What the program keeps: a cache, an output.
    workspace, ///< Of a library's kernels.
    communication,
};
inline constexpr std::size_t kUsageCount = 10;

/// Whether allocations of a kind never follow the batch or the sequence.
constexpr bool isFixed(Usage kind)
{
    return kind == Usage::weight || kind == Usage::gradient || kind == Usage::state
        || kind == Usage::workspace || kind == Usage::communication;
}

/// Something that was asked for and not got.
struct Request {
    std::int64_t bytes = 0;
    Usage kind = Usage::unknown;
};

/// What is known of the allocations of one device before their sizes are looked at. Index =
/// AllocationId; as many as the replay has.
///
/// A weak claim is an inference that the sizes may overrule. A certain one was said by a person, a
/// capture or the file itself: it is never overruled.
struct ProgramInput {
    std::vector<Usage> kind;
    std::vector<std::uint8_t> is_certain; ///< 0 or 1; empty: no claim is certain.
    std::vector<SaidDimension> dimensions; ///< Certain; of one dimension the last holds.
    std::vector<Request> failed; ///< Requests that ended the run, or that it lived through.
    /// Bytes of a weight as it is gathered for use, by those of the shard of it that stays here.
    std::int64_t gathered_per_shard = 1;
    std::int32_t element_bytes = 0; ///< Of a weight, where something beside it proves them; else 0.

    [[nodiscard]] bool isCertain(std::size_t allocation) const
    {
        return !is_certain.empty() && is_certain[allocation] != 0;
    }
};

} // namespace tidemark::program
