// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/label/bucket.h"

#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

/// What a run is made of at the moment that counts, bytes: for one that died the moment of the OOM
/// event, else its peak. All parts add up to what it needs from the driver.
struct Budget {
    StateId state; ///< Of `buckets`.
    label::BucketBytes buckets{}; ///< Live then, requested bytes.
    std::int64_t failed = 0; ///< The request that failed; 0 without an OOM event.
    std::int64_t to_follow = 0; ///< What else the need counts: known to come, or in a later step.
    std::int64_t overhead = 0; ///< What the allocator keeps beside the need.

    [[nodiscard]] std::int64_t live() const; ///< Of all buckets.
    [[nodiscard]] std::int64_t need() const; ///< Requested bytes.
    [[nodiscard]] std::int64_t total() const; ///< From the driver.

    friend constexpr bool operator==(const Budget&, const Budget&) = default;
};

/// One line of a table of two budgets.
struct BudgetRow {
    enum class Kind : std::uint8_t { bucket, failed, to_follow, overhead, total };
    Kind kind = Kind::bucket;
    label::Bucket bucket = label::Bucket::unknown; ///< Of `Kind::bucket` only.
    std::int64_t before = 0;
    std::int64_t after = 0;
};
/// Buckets from the uppermost band down, then the other parts; what is 0 in both is left out. The
/// total comes last and always.
std::vector<BudgetRow> budgetRows(const Budget& before, const Budget& after);

} // namespace tidemark::diagnose
