// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

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

/// Two runs at their peaks. Buckets that are empty in both are left out.
struct Comparison {
    std::size_t device_a = 0; ///< Index into each snapshot's devices.
    std::size_t device_b = 0;
    Bytes peak_a;
    Bytes peak_b;
    std::vector<BucketDelta> buckets; ///< In stack order.
    std::string
        sentence; ///< "B peaks 1.20 GiB lower than A (…); most of it is activations (−1.10 GiB)."
    std::vector<std::string> settings; ///< Allocator settings that differ, one line each.
    std::vector<std::string>
        warnings; ///< E.g. that a trace is truncated, so its peak may be missing.
};

/// Compares the main devices (or the given ones). Requires snapshot, replay, labels and curves in
/// both. O(1) after the analyses.
Comparison compare(const diagnose::Analysis& a, const diagnose::Analysis& b);
Comparison compare(const diagnose::Analysis& a, std::size_t device_a, const diagnose::Analysis& b,
                   std::size_t device_b);

} // namespace tidemark::compare
