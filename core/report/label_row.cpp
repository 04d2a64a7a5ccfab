// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/label_row.h"

namespace tidemark::report {
namespace {

std::optional<std::int64_t> eventNumber(EventId event)
{
    return event.isNone() ? std::nullopt : std::optional<std::int64_t>(event.value);
}

} // namespace

std::string LabelRow::reasonText() const
{
    return reason->evidence.empty() ? reason->rule : reason->rule + ": " + reason->evidence;
}

LabelRow labelRow(const diagnose::Analysis& analysis, std::size_t device, AllocationId allocation)
{
    const replay::Allocations& columns = analysis.replay->devices[device].allocations;
    const replay::BlockSizes& blocks = (*analysis.block_sizes)[device];
    const label::DeviceLabels& labels = analysis.labels->devices[device];
    const std::size_t i = allocation.index();
    LabelRow row;
    row.alloc_event = eventNumber(columns.alloc_event[i]);
    row.free_requested_event = eventNumber(columns.free_requested_event[i]);
    row.free_event = eventNumber(columns.free_event[i]);
    row.address = columns.address[i];
    row.requested = columns.requested[i];
    row.block_low = blocks.lower[i];
    row.block_high = blocks.upper[i];
    row.bucket = label::bucketId(labels.bucket[i]);
    row.role = label::roleId(labels.role[i]);
    row.confidence = labels.confidence[i];
    row.reason = &labels.reasonOf(allocation);
    return row;
}

} // namespace tidemark::report
