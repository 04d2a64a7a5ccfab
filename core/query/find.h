// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/query/allocation_table.h"
#include "core/query/query.h"

#include <stop_token>
#include <vector>

namespace tidemark::query {

/// Allocations of the whole run that satisfy a query, in the order of their ids. One pass over the
/// columns per condition, over what the conditions before left; texts are looked at once per
/// distinct text, stack, line and module. O(allocations + stacks), besides `details` where the
/// query asks for modules. Errors: cancelled; badArgument for a moment that the run does not have,
/// and for a time in a file without times.
Result<std::vector<AllocationId>> find(const AllocationTable& table, const Query& query,
                                       const std::stop_token& stop = {});
/// The same of some allocations, in their order.
Result<std::vector<AllocationId>> findAmong(const AllocationTable& table,
                                            std::vector<AllocationId> ids, const Query& query,
                                            const std::stop_token& stop = {});

} // namespace tidemark::query
