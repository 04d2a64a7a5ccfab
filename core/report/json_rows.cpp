// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/corrections_report.h"
#include "core/report/json.h"
#include "core/report/json_parts.h"
#include "core/report/timeline_points.h"

namespace tidemark::report {

using diagnose::Analysis;

Json timelineJson(const Analysis& analysis, std::span<const std::size_t> devices,
                  std::size_t points)
{
    Json list = Json::array();
    for (const std::size_t d : devices) {
        const trace::Device& device = analysis.snapshot->devices[d];
        const replay::DeviceReplay& replay = analysis.replay->devices[d];
        const curves::DeviceCurves& curves = analysis.curves->devices[d];
        const replay::BlockSizes& sizes = (*analysis.block_sizes)[d];
        const replay::BlockTotals blocks = replay::blockTotals(replay, sizes);
        const std::vector<StateId> states = timelineStates(curves, points);
        const std::vector<replay::Fragmentation> holes = fragmentationAt(analysis, d, states);
        Json rows = Json::array();
        for (std::size_t i = 0; i < states.size(); ++i) {
            const StateId state = states[i];
            Json row = {{"event", state.eventNumber()},
                        {"time_us", timeJson(device, state)},
                        {"requested_bytes", replay.activeAt(state).value},
                        {"block_bytes", blocks.lower[state.index()]},
                        {"block_bytes_high", blocks.upper[state.index()]},
                        {"reserved_bytes", replay.reservedAt(state).value},
                        {"buckets", bucketsJson(curves.at(state))}};
            if (replay.hasPrivatePools()) {
                row["private_pools"] = {{"requested_bytes", replay.private_active[state.index()]},
                                        {"block_bytes", blocks.private_lower[state.index()]},
                                        {"block_bytes_high", blocks.private_upper[state.index()]},
                                        {"reserved_bytes", replay.private_reserved[state.index()]}};
            }
            const bool is_known = !holes.empty();
            row["free_bytes"] = is_known ? Json(holes[i].free.value) : Json(nullptr);
            row["largest_free_bytes"] =
                is_known ? Json(holes[i].largest_hole.value) : Json(nullptr);
            row["fragmentation"] = is_known ? Json(holes[i].device) : Json(nullptr);
            rows.push_back(std::move(row));
        }
        list.push_back({{"device", device.index}, {"points", std::move(rows)}});
    }
    return withCorrections({{"file", fileJson(analysis)}, {"devices", std::move(list)}}, analysis);
}

Json allocationsJson(const Analysis& analysis, std::span<const AllocationSelection> selections)
{
    const label::Details details =
        label::findDetails(*analysis.snapshot, *analysis.replay, *analysis.labels);
    Json list = Json::array();
    for (const AllocationSelection& selection : selections) {
        const replay::DeviceReplay& replay = analysis.replay->devices[selection.device];
        Json rows = Json::array();
        for (const AllocationId id : selection.ids) {
            Json row = rowJson(labelRow(analysis, selection.device, id));
            addDetails(row, details, selection.device, id);
            row["stack"] = stackJson(*analysis.snapshot, replay.allocations.stack[id.index()]);
            rows.push_back(std::move(row));
        }
        list.push_back({{"device", analysis.snapshot->devices[selection.device].index},
                        {"event", selection.state.eventNumber()},
                        {"requested_total_bytes", replay.activeAt(selection.state).value},
                        {"found", selection.found},
                        {"found_bytes", selection.found_bytes.value},
                        {"allocations", std::move(rows)}});
    }
    return withCorrections({{"file", fileJson(analysis)}, {"devices", std::move(list)}}, analysis);
}

} // namespace tidemark::report
