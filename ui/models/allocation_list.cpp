// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/allocation_list.h"

#include "core/query/find.h"

#include <utility>

namespace tidemark::ui {

bool AllocationRequest::asksForModules() const
{
    return query.asksForModules() || group_by == query::GroupBy::module
        || (!group_by && sort == query::SortKey::module);
}

Result<AllocationList> listAllocations(const AllocationRequest& request,
                                       const std::stop_token& stop)
{
    const query::AllocationTable& table = *request.table;
    Result<std::vector<AllocationId>> ids = request.live_at
        ? query::findAmong(table, replay::livingAt(table.replay(), *request.live_at), request.query,
                           stop)
        : query::find(table, request.query, stop);
    if (!ids.has_value()) {
        return ids.error();
    }
    AllocationList list;
    list.sums = query::sumsOf(table, ids.value());
    if (request.group_by) {
        Result<std::vector<query::Group>> groups =
            query::groups(table, ids.value(), *request.group_by, stop);
        if (!groups.has_value()) {
            return groups.error();
        }
        list.groups = std::move(groups).value();
        query::sortGroups(table, list.groups, request.group_sort, request.is_descending);
        return list;
    }
    Result<std::vector<AllocationId>> sorted =
        query::sorted(table, std::move(ids).value(), request.sort, request.is_descending, stop);
    if (!sorted.has_value()) {
        return sorted.error();
    }
    list.ids = std::move(sorted).value();
    return list;
}

std::shared_ptr<const query::AllocationTable>
makeAllocationTable(const diagnose::Analysis& analysis, std::size_t device)
{
    return std::make_shared<const query::AllocationTable>(
        analysis.snapshot, analysis.replay, analysis.labels, analysis.programs, device);
}

bool isOf(const query::AllocationTable* table, const diagnose::Analysis& analysis,
          std::size_t device)
{
    return table != nullptr && table->sharedLabels() == analysis.labels
        && table->sharedPrograms() == analysis.programs && table->deviceIndex() == device;
}

} // namespace tidemark::ui
