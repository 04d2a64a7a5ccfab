// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/json.h"
#include "core/report/json_parts.h"
#include "core/report/json_stream.h"
#include "core/report/timeline_points.h"

namespace tidemark::report {
namespace {

using diagnose::Analysis;

Json headOf(const Analysis& analysis, const AllocationSelection& selection)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[selection.device];
    return {{"device", analysis.snapshot->devices[selection.device].index},
            {"event", selection.state.eventNumber()},
            {"requested_total_bytes", replay.activeAt(selection.state).value},
            {"found", selection.found},
            {"found_bytes", selection.found_bytes.value}};
}

/// The totals of one device in any state.
class TimelineRows {
public:
    TimelineRows(const Analysis& analysis, std::size_t device)
        : m_device(analysis.snapshot->devices[device])
        , m_replay(analysis.replay->devices[device])
        , m_curves(analysis.curves->devices[device])
        , m_blocks(replay::blockTotals(m_replay, (*analysis.block_sizes)[device]))
    {
    }

    [[nodiscard]] Json at(StateId state, const replay::Fragmentation& holes) const
    {
        const std::size_t s = state.index();
        Json row = {{"event", state.eventNumber()},
                    {"time_us", timeJson(m_device, state)},
                    {"requested_bytes", m_replay.activeAt(state).value},
                    {"block_bytes", m_blocks.lower[s]},
                    {"block_bytes_high", m_blocks.upper[s]},
                    {"reserved_bytes", m_replay.reservedAt(state).value},
                    {"buckets", bucketsJson(m_curves.at(state))}};
        if (m_replay.hasPrivatePools()) {
            row["private_pools"] = {{"requested_bytes", m_replay.private_active[s]},
                                    {"block_bytes", m_blocks.private_lower[s]},
                                    {"block_bytes_high", m_blocks.private_upper[s]},
                                    {"reserved_bytes", m_replay.private_reserved[s]}};
        }
        row["free_bytes"] = holes.free.value;
        row["largest_free_bytes"] = holes.largest_hole.value;
        row["fragmentation"] = holes.shareOf(m_replay.reservedAt(state));
        return row;
    }

private:
    const trace::Device& m_device;
    const replay::DeviceReplay& m_replay;
    const curves::DeviceCurves& m_curves;
    replay::BlockTotals m_blocks;
};

} // namespace

Json allocationJson(const Analysis& analysis, const label::Details& details, Places& places,
                    std::size_t device, AllocationId id)
{
    Json row = rowJson(labelRow(analysis, device, id));
    addDetails(row, *analysis.snapshot, details, device, id);
    addPlace(row, *analysis.snapshot, places.of(device, id));
    addStack(row, *analysis.snapshot,
             analysis.replay->devices[device].allocations.stack[id.index()]);
    return row;
}

void writeTimelineJson(std::ostream& out, const Analysis& analysis,
                       std::span<const std::size_t> devices, std::size_t points)
{
    DeviceRowsWriter writer(out, analysis, "points");
    for (const std::size_t d : devices) {
        const TimelineRows rows(analysis, d);
        const std::vector<StateId> states = timelineStates(analysis.curves->devices[d], points);
        const std::vector<replay::Fragmentation> holes = fragmentationAt(analysis, d, states);
        writer.beginDevice({{"device", analysis.snapshot->devices[d].index}});
        for (std::size_t i = 0; i < states.size(); ++i) {
            writer.row(rows.at(states[i], holes[i]));
        }
        writer.endDevice();
    }
    writer.finish();
}

void writeAllocationsJson(std::ostream& out, const Analysis& analysis,
                          std::span<const AllocationSelection> selections)
{
    const label::Details details = label::findDetails(*analysis.snapshot, *analysis.replay,
                                                      *analysis.labels, analysis.programs.get());
    Places places(analysis);
    DeviceRowsWriter writer(out, analysis, "allocations");
    for (const AllocationSelection& selection : selections) {
        writer.beginDevice(headOf(analysis, selection));
        for (const AllocationId id : selection.ids) {
            writer.row(allocationJson(analysis, details, places, selection.device, id));
        }
        writer.endDevice();
    }
    writer.finish();
}

Json selectionJson(const Analysis& analysis, const label::Details& details,
                   const AllocationSelection& selection)
{
    Places places(analysis);
    Json rows = Json::array();
    for (const AllocationId id : selection.ids) {
        rows.push_back(allocationJson(analysis, details, places, selection.device, id));
    }
    Json json = headOf(analysis, selection);
    json["allocations"] = std::move(rows);
    return json;
}

} // namespace tidemark::report
