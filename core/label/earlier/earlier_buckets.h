// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/assign/assigner.h"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace tidemark::label {

/// The buckets of DistributedDataParallel that were there before the trace. They hold every
/// gradient once, each in one of them and without a gap between (torch/csrc/distributed/c10d/
/// reducer.cpp, `initialize_buckets`), so all that is no gradient's size adds up to them; a
/// gradient as large as a bucket has one of its own and is missing from that sum.
class EarlierBuckets {
public:
    /// O(earlier allocations + gradients' sizes²). `gradients` as `labelTraced` returns them.
    EarlierBuckets(const RuleInputs& evidence, const SizeCounts& gradients);

    [[nodiscard]] bool contains(AllocationId a) const
    {
        return m_buckets.contains(a.value);
    }

private:
    std::unordered_set<std::uint32_t> m_buckets;
};

} // namespace tidemark::label
