// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>

namespace tidemark::trace {

// Sizes of the CUDA caching allocator, bytes. Source: c10/cuda/CUDACachingAllocator.cpp (unchanged
// since 2019; c10/core/AllocatorConfig.h in newer versions).
inline constexpr std::int64_t kMinBlockSize = 512;
/// Rounded requests up to this go to the small pool; what a large block may keep beyond its size.
inline constexpr std::int64_t kSmallSize = std::int64_t{1} << 20;
inline constexpr std::int64_t kSmallBuffer = std::int64_t{2} << 20;
/// The segment of a request below 10 MiB, and the unit in which large expandable pages are mapped.
inline constexpr std::int64_t kLargeBuffer = std::int64_t{20} << 20;
inline constexpr std::int64_t kMinLargeAlloc = std::int64_t{10} << 20;

} // namespace tidemark::trace
