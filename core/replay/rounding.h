// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/trace/allocator_sizes.h"
#include "core/trace/snapshot.h"

#include <array>
#include <cstdint>

namespace tidemark::replay {

using trace::kLargeBuffer;
using trace::kMinBlockSize;
using trace::kMinLargeAlloc;
using trace::kSmallBuffer;
using trace::kSmallSize;

/// How a request becomes the size of a block. Source: round_size, same file.
class Rounding {
public:
    /// Multiples of 512 B.
    Rounding() = default;
    /// With `roundup_power2_divisions` where the settings have it: 16 entries, keys "1" to "32768"
    /// MiB, each for requests from that size up to twice that.
    explicit Rounding(const trace::AllocatorSettings& settings);
    /// torch_npu adds 32 B to each request before it rounds.
    static Rounding ofNpu();

    [[nodiscard]] Bytes operator()(Bytes requested) const;
    friend bool operator==(const Rounding&, const Rounding&) = default;

private:
    std::array<std::int64_t, 16> m_divisions{}; ///< 0: off.
    std::int64_t m_extra = 0;
};

/// The rule with which this device's final blocks agree: that of the settings, else plain 512 B,
/// else torch_npu's. `contradictions`: active blocks that no rule explains, under the one that
/// explains most.
struct RoundingFound {
    Rounding rule;
    std::int64_t contradictions = 0;
};
RoundingFound findRounding(const trace::AllocatorSettings& settings, const trace::Device& device);

/// The smallest block the CUDA allocator makes for a request: the next multiple of 512 B, without
/// `roundup_power2_divisions`.
Bytes roundToBlock(Bytes requested);

/// What the allocator asks the driver for when a (rounded) request finds no free block: 2 MiB up to
/// 1 MiB, 20 MiB below 10 MiB, else the next multiple of 2 MiB. Source: get_allocation_size, same
/// file. This is the figure in an out-of-memory message.
Bytes segmentSizeFor(Bytes rounded_request);

} // namespace tidemark::replay
