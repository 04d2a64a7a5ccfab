// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/replay/rounding.h"
#include "core/trace/snapshot.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tidemark::allocator {

/// Which of two free blocks of one size and stream is used first.
enum class TieOrder : std::uint8_t {
    address, ///< The lower address: up to torch 2.11.
    segment_age, ///< That of the older segment, then the lower address: torch 2.13.
    block_age, ///< The one that is longer a block of its own: torch 2.12 for some weeks.
};

/// What PYTORCH_ALLOC_CONF says about where blocks go. The defaults are PyTorch's. Sizes in bytes.
struct Settings {
    static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

    bool expandable_segments = false;
    /// Blocks at least this large are never split.
    std::int64_t max_split = kUnlimited;
    /// How much larger than its request a block above `max_split` may be.
    std::int64_t max_non_split_rounding = replay::kLargeBuffer;
    /// The segment of requests below 10 MiB, and the page unit of large expandable segments.
    std::int64_t large_segment = replay::kLargeBuffer;
    /// Entry k: for requests from 2^k MiB up to twice that; 0 or 1: off.
    std::array<std::int64_t, 16> roundup_divisions{};
    double gc_threshold = 0; ///< 0: off. Has an effect with a memory fraction alone.
    double memory_fraction = 1; ///< Of the device; 1: no limit.
    /// A refusal by the memory fraction fails at once instead of releasing cached segments.
    bool throws_on_refusal = false;
    /// torch_npu: 32 B are added to each request before rounding, and large blocks of expandable
    /// segments begin at multiples of 16 KiB where there is room.
    bool is_npu = false;
    TieOrder tie_order = TieOrder::address; ///< By the version of torch.
    std::string text; ///< As it was written, or one that says the same; empty for the defaults.

    [[nodiscard]] replay::Rounding rounding() const;
    /// What the driver is asked for when a (rounded) request finds no free block.
    [[nodiscard]] std::int64_t segmentSizeFor(std::int64_t rounded) const;
    /// In which expandable segments are mapped and unmapped.
    [[nodiscard]] std::int64_t pageUnit(bool is_small_pool) const;
};

/// Whether both place blocks alike; the text is no matter.
bool placeAlike(const Settings& a, const Settings& b);

/// What max_split_size_mb costs beside expandable segments, and that it is to go.
std::string splitLimitClash(Bytes limit);
/// The same without max_split_size_mb.
Settings withoutMaxSplit(Settings settings);

/// Parses a settings text as PyTorch does at the start of a process. Options without an influence
/// on device memory (pinned_*, release_lock_on_cudamalloc, …) are accepted. Errors: badArgument,
/// with PyTorch's rule, for unknown options, values out of range, and another backend than
/// `native`. Source: c10/cuda/CUDAAllocatorConfig.cpp, c10/core/AllocatorConfig.cpp (torch 2.6
/// to 2.12).
Result<Settings> parseSettings(std::string_view text);

/// The settings that a device's snapshot was recorded under: what the file states, and what its
/// segments show where it states nothing.
Settings recordedSettings(const trace::AllocatorSettings& stated, const trace::Device& device);

} // namespace tidemark::allocator
