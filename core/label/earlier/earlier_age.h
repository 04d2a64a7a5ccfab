// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <vector>

namespace tidemark::label {

/// What was there before the trace, among equal sizes the oldest first, as far as addresses tell:
/// the allocator fills a segment from its low end, and the driver gives a process its segments in
/// one direction, for the large pool downwards on Linux (whose mmap grows down from 2^47, where
/// CUDA's addresses are those of the host) and upwards on Windows (which has them far below). Those
/// of the small pool are parts of larger pieces, upwards on both. O(n log n).
std::vector<AllocationId> oldestFirst(const replay::Allocations& all,
                                      const std::vector<trace::Segment>& segments);

} // namespace tidemark::label
