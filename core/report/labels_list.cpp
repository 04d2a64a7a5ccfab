// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/labels_list.h"

#include "core/base/format.h"
#include "core/report/csv.h"
#include "core/report/json_parts.h"
#include "core/report/json_stream.h"
#include "core/report/label_row.h"
#include "core/report/places.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ostream>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

template <class Visit>
void forEachRow(const Analysis& analysis, std::size_t device, std::size_t top, Visit visit)
{
    const std::size_t count = std::min(top, analysis.replay->devices[device].allocations.count());
    for (std::size_t i = 0; i < count; ++i) {
        visit(labelRow(analysis, device, AllocationId(i)), AllocationId(i));
    }
}

std::string numberOr(const std::optional<std::int64_t>& number, std::string_view otherwise)
{
    return number ? fmt::format("{}", *number) : std::string(otherwise);
}

} // namespace

void writeLabelsJson(std::ostream& out, const Analysis& analysis,
                     std::span<const std::size_t> devices, std::size_t top)
{
    DeviceRowsWriter writer(out, analysis, "allocations");
    for (const std::size_t d : devices) {
        writer.beginDevice({{"device", analysis.snapshot->devices[d].index},
                            {"found", analysis.replay->devices[d].allocations.count()}});
        forEachRow(analysis, d, top,
                   [&](const LabelRow& row, AllocationId) { writer.row(rowJson(row)); });
        writer.endDevice();
    }
    writer.finish();
}

void writeLabelsText(std::ostream& out, const Analysis& analysis,
                     std::span<const std::size_t> devices, std::size_t top)
{
    static constexpr auto kLine = "{:>6} {:>9} {:>9} {:>18} {:>12} {:<15} {:<19} {:>4}  {}\n";
    out << fmt::format(kLine, "device", "allocated", "freed", "address", "requested", "bucket",
                       "role", "sure", "reason");
    for (const std::size_t d : devices) {
        forEachRow(analysis, d, top, [&](const LabelRow& row, AllocationId) {
            out << fmt::format(kLine, analysis.snapshot->devices[d].index,
                               numberOr(row.alloc_event, "before"), numberOr(row.free_event, "-"),
                               fmt::format("{:#x}", row.address), formatBytes(row.requested),
                               row.bucket, row.role.empty() ? "-" : row.role,
                               fmt::format("{}%", row.confidence), visibleText(row.reasonText()));
        });
    }
}

void writeLabelsCsv(std::ostream& out, const Analysis& analysis,
                    std::span<const std::size_t> devices)
{
    out << "device,alloc_event,free_requested_event,free_event,address,requested_bytes,block_bytes,"
           "bucket,role,confidence,reason,where,user_line\n";
    Places places(analysis);
    for (const std::size_t d : devices) {
        forEachRow(analysis, d, SIZE_MAX, [&](const LabelRow& row, AllocationId a) {
            const auto block = row.block();
            const Place& place = places.of(d, a);
            out << fmt::format(
                "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", analysis.snapshot->devices[d].index,
                numberOr(row.alloc_event, ""), numberOr(row.free_requested_event, ""),
                numberOr(row.free_event, ""), row.address, row.requested.value,
                block ? fmt::format("{}", block->value) : std::string(), row.bucket, row.role,
                row.confidence, csvField(visibleText(row.reasonText())),
                csvField(visibleText(place.text)), csvField(visibleText(place.user)));
        });
    }
}

} // namespace tidemark::report
