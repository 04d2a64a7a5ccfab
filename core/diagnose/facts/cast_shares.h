// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/keyed_hash.h"
#include "core/diagnose/facts/facts.h"

#include <cstdint>
#include <unordered_map>

namespace tidemark::diagnose {

/// The 16-bit copies of the weights that autocast makes in the lines of linear layers and that
/// autograd keeps: half as large as weights, one each per pass, and no larger for a larger batch.
/// Where outputs of the same lines happen to be as large, which is which cannot be told, only how
/// many of them are copies.
class CastShares {
public:
    /// O(allocations). Keeps no reference.
    explicit CastShares(const DeviceRun& run);
    /// How much of an activation of that size from that stack is a copy of a weight: 0 to 1.
    [[nodiscard]] double share(const DeviceRun& run, StackId stack, std::int64_t bytes) const;
    /// Whether there are no copies.
    [[nodiscard]] bool empty() const
    {
        return m_shares.empty();
    }

private:
    static std::int64_t key(FrameId line, std::int64_t bytes);
    void findCopies(const DeviceRun& run, std::int32_t pass);

    std::unordered_map<std::int64_t, double, KeyedNumberHash> m_shares;
};

} // namespace tidemark::diagnose
