// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/side.h"

#include <string>
#include <vector>

namespace tidemark::compare {

struct BucketDelta {
    label::Bucket bucket = label::Bucket::unknown;
    Bytes a;
    Bytes b;
    [[nodiscard]] Bytes delta() const
    {
        return b - a;
    }
};

/// Two runs, each at its own peak. Buckets that are empty in both are left out.
struct Comparison {
    std::size_t device_a = 0; ///< Index into each snapshot's devices.
    std::size_t device_b = 0;
    Bytes peak_a;
    Bytes peak_b;
    std::vector<BucketDelta> buckets; ///< In stack order.
    std::vector<std::string> settings; ///< Allocator settings that differ, one line each.
    std::vector<std::string>
        warnings; ///< E.g. that a trace is truncated, so its peak may be missing.

    [[nodiscard]] Bytes delta() const
    {
        return peak_b - peak_a;
    }
};

/// What totals and files alone tell. Requires snapshot, replay, labels and curves in both. O(1)
/// after the analyses.
Comparison comparePeaks(const Side& a, const Side& b);

} // namespace tidemark::compare
