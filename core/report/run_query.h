// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/format.h"
#include "core/diagnose/analysis.h"
#include "core/query/groups.h"
#include "core/query/order.h"
#include "core/query/query.h"
#include "core/report/document.h"

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tidemark::report {

/// What of the allocations of a whole run is to be listed, and how.
struct RunQuery {
    query::Query query;
    std::string text; ///< As it was written, for those who read the answer.
    std::optional<query::GroupBy> group_by; ///< Unset: one row per allocation.
    query::SortKey sort = query::SortKey::bytes; ///< Of allocations.
    query::GroupKey group_sort = query::GroupKey::bytes; ///< Of groups.
    bool is_descending = true;
    std::optional<std::int32_t> device; ///< As in `chosenDevices`; unset: all that are not empty.
    std::optional<std::size_t> top; ///< Rows; unset: all.
};

/// What such a query finds on one device.
struct RunAnswer {
    std::shared_ptr<const query::AllocationTable> table;
    query::Sums found; ///< Of all that was found, listed or not.
    std::vector<AllocationId> ids; ///< Empty where it is grouped.
    std::vector<query::Group> groups;
    std::size_t group_count = 0; ///< Before the cut at `top`.
};

/// Requires labels. Errors: badArgument for a device or moment that the file does not have.
Result<std::vector<RunAnswer>> answerQuery(const diagnose::Analysis& analysis,
                                           const RunQuery& query);

/// One object as the other lists have it: per device what was found, and its rows under
/// "allocations" or "groups". Requires block sizes.
void writeRunQueryJson(std::ostream& out, const diagnose::Analysis& analysis, const RunQuery& query,
                       std::span<const RunAnswer> answers);
/// A header line and a line per row.
void writeRunQueryCsv(std::ostream& out, const diagnose::Analysis& analysis, const RunQuery& query,
                      std::span<const RunAnswer> answers);
/// What was found on one device, as a sentence and a table.
Section runQuerySection(const RunAnswer& answer, const RunQuery& query);

/// A cell of a list for people; amounts of bytes in the unit of the list.
std::string cellText(const query::AllocationTable& table, query::CellKind kind,
                     const query::Cell& cell, const OneUnit& unit);
/// A lifetime in the table's unit: "12.3 ms", "40 events".
std::string lifetimeText(const query::AllocationTable& table, std::int64_t lifetime);
/// Bytes × lifetime in the table's unit: "1.25 GiB·s", "3.00 GiB·events".
std::string bytesLifetimeText(const query::AllocationTable& table, double bytes_lifetime);

} // namespace tidemark::report
