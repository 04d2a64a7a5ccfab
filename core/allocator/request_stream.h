// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <cstdint>
#include <vector>

namespace tidemark::allocator {

/// What the program asked of the allocator, and what happened to it from outside.
enum class Step : std::uint8_t {
    allocate,
    request_free, ///< Another stream may still use the block.
    complete_free,
    empty_cache, ///< By the user; what the allocator gave back in need is its own decision.
    release_pool, ///< A private pool's memory went back to the driver.
    failed_request, ///< The `oom` entry: a request that the recorded run did not get.
};

struct Operation {
    Step step = Step::allocate;
    AllocationId allocation; ///< None for the last three steps.
    EventId event; ///< That shows it.
};

/// The operations of one device in their order: what stays the same under other settings.
///
/// A free that is completed right after it is requested is one step. Completions directly before
/// the release of cached memory that a request forced, or before its failure, are part of that: the
/// allocator waits for all streams there. They come behind the request, where they change nothing
/// if it released, too.
struct RequestStream {
    std::vector<Operation> operations;
    /// Of the releases of memory that no request forced.
    std::int64_t cache_flushes = 0;
    /// Requests for which the recorded run gave back cached memory.
    std::int64_t forced_releases = 0;
};

/// A run of `segment_free` and `segment_unmap` counts as the user's `empty_cache` if its stack says
/// so, if no request that obtains memory (or fails) follows at once, or if that request would have
/// fitted into what was reserved at another time; else the request forced it. O(events).
RequestStream requestsOf(const trace::Snapshot& snapshot, const trace::Device& device,
                         const replay::DeviceReplay& replay);

} // namespace tidemark::allocator
