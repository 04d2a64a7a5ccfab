// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/laws.h"

#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

inline void scale(std::vector<Span>& spans, const Amount& factor)
{
    for (Span& span : spans) {
        span.bytes = span.bytes.times(factor);
    }
}

/// Whether an optimizer makes and drops it within its step.
inline bool isOptimizerTransient(const Subject& s)
{
    return s.bucket == label::Bucket::temporary
        && (s.phase == label::Phase::optimizer || s.role == label::Role::optimizer_transient);
}

/// The largest single allocation of a bucket. O(allocations).
inline std::int64_t largestOf(const Facts& facts, label::Bucket bucket)
{
    std::int64_t largest = 0;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.bucket(a) == bucket && facts.bytes(a) > largest) {
            largest = facts.bytes(a);
        }
    }
    return largest;
}

} // namespace tidemark::diagnose
