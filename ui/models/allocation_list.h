// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/diagnose/analysis.h"
#include "core/query/groups.h"
#include "core/query/order.h"
#include "core/query/query.h"

#include <QtCore/QString>

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace tidemark::ui {

/// Which allocations a list shows, and in which order.
struct AllocationRequest {
    std::shared_ptr<const query::AllocationTable> table;
    query::Query query;
    std::optional<StateId> live_at; ///< Unset: those of the whole run.
    std::optional<query::GroupBy> group_by; ///< Unset: one row per allocation.
    query::SortKey sort = query::SortKey::bytes; ///< Of allocations.
    query::GroupKey group_sort = query::GroupKey::bytes; ///< Of groups.
    bool is_descending = true;

    /// Whether the answer needs the places in the model, which take a while the first time.
    [[nodiscard]] bool asksForModules() const;
};

struct AllocationList {
    query::Sums sums;
    std::vector<AllocationId> ids; ///< Empty where it is grouped.
    std::vector<query::Group> groups;
};

/// O(n log n) of what is listed. Errors: cancelled, and those of `query::find`.
Result<AllocationList> listAllocations(const AllocationRequest& request,
                                       const std::stop_token& stop);

/// The table of a device. Requires labels. O(allocations + frames).
std::shared_ptr<const query::AllocationTable>
makeAllocationTable(const diagnose::Analysis& analysis, std::size_t device);
/// Whether a table still says what the analysis says.
bool isOf(const query::AllocationTable* table, const diagnose::Analysis& analysis,
          std::size_t device);

} // namespace tidemark::ui
