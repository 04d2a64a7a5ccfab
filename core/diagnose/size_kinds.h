// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/changed_run.h"
#include "core/diagnose/facts.h"

#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

/// Allocations that every law of sizes treats alike: of one bucket, role, phase and size, with the
/// same share of attention matrices, logits and copies of weights. Training repeats itself, so
/// there are far fewer kinds than allocations, and a law is asked once for each.
struct SizeKinds {
    std::vector<std::uint32_t> of; ///< Per allocation.
    std::vector<AllocationId> examples; ///< Per kind, its first allocation.
};

/// O(allocations).
SizeKinds sizeKinds(const Facts& facts);

/// As without kinds. Laws that tell allocations of one kind apart, since they cut lifetimes, are
/// asked for each allocation of the buckets named. O(allocations + kinds · laws) beside these.
ChangedRun applyLaws(const Facts& facts, const Laws& laws, const SizeKinds& kinds,
                     BucketSet each_alone);

} // namespace tidemark::diagnose
