// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/csv.h"
#include "core/report/job_parts.h"

#include <fmt/format.h>

namespace tidemark::report {
namespace {

template <class T>
std::string numberOrNothing(const std::optional<T>& value)
{
    return value ? fmt::format("{}", *value) : std::string();
}

std::vector<std::string> csvCells(const job::RankSummary& row)
{
    std::string coordinates;
    for (const auto& [axis, number] : row.coordinates) {
        coordinates += fmt::format("{}{}={}", coordinates.empty() ? "" : " ", axis, number);
    }
    std::vector<std::string> cells{row.file,          numberOrNothing(row.rank),
                                   row.moment.text(), std::move(coordinates),
                                   row.host,          fmt::format("{}", row.device)};
    const auto add = [&](std::int64_t value) {
        cells.push_back(row.isRead() ? fmt::format("{}", value) : std::string());
    };
    add(row.peak.value);
    add(row.reserved.value);
    cells.push_back(row.capacity ? fmt::format("{}", row.capacity->value) : std::string());
    cells.emplace_back(row.hasFailed() ? "1" : "0");
    cells.push_back(row.hasFailed() && row.oom->time
                        ? fmt::format("{}", microseconds(*row.oom->time))
                        : std::string());
    for (const std::int64_t bytes : row.decisive) {
        add(bytes);
    }
    cells.push_back(row.error);
    return cells;
}

} // namespace

void writeJobCsv(std::ostream& out, const job::Job& job)
{
    std::vector<std::string> names{"file",
                                   "rank",
                                   "moment",
                                   "coordinates",
                                   "host",
                                   "device",
                                   "peak_requested_bytes",
                                   "reserved_bytes",
                                   "capacity_bytes",
                                   "oom",
                                   "oom_time_us"};
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        names.push_back(fmt::format("{}_bytes", label::bucketId(label::bucketAt(b))));
    }
    names.emplace_back("error");
    out << csvLine(names) << '\n';
    for (const job::RankSummary& row : job.rows) {
        out << csvLine(csvCells(row)) << '\n';
    }
}

} // namespace tidemark::report
