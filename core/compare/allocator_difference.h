// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/compare/side.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::compare {

/// How the allocator of one run behaved. Bytes at the peak of live memory unless said otherwise.
struct AllocatorTraits {
    Bytes reserved_peak; ///< Largest over the trace.
    Bytes reserved;
    Bytes cached; ///< Reserved − active, as everywhere; without what private pools have free.
    Bytes largest_hole;
    std::int64_t segments = 0;
    std::int64_t segments_made = 0; ///< In the trace; mappings of expandable segments, too.
    std::int64_t segments_returned = 0; ///< To the driver: by a retry, a collection, `empty_cache`.
    std::int64_t ooms = 0;
};

/// "It fitted before the upgrade": what differs although the program asks for the same.
struct AllocatorDifference {
    AllocatorTraits a;
    AllocatorTraits b;
    bool is_other_torch = false; ///< Torch's own functions lie on other lines.
    /// One sentence where live bytes are about the same and reserved ones are not; else empty.
    std::string sentence;
};

/// O(live log live + events + frames).
AllocatorDifference compareAllocators(const Side& a, const Side& b);

} // namespace tidemark::compare
