// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/replay.h"

#include "core/base/format.h"
#include "core/replay/lifetimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace tidemark::replay {
namespace {

using trace::Action;

/// Signed change of reserved bytes by an event.
std::int64_t reservedChange(const trace::Events& events, std::size_t i)
{
    switch (events.action[i]) {
    case Action::segment_alloc:
    case Action::segment_map:
        return events.size[i].value;
    case Action::segment_free:
    case Action::segment_unmap:
        return -events.size[i].value;
    default:
        return 0;
    }
}

void sumActive(const trace::Device& device, DeviceReplay& replay)
{
    const std::size_t states = device.events.count() + 1;
    replay.active.assign(states, 0);
    const Allocations& a = replay.allocations;
    for (std::size_t i = 0; i < a.count(); ++i) {
        const std::int64_t bytes = a.requested[i].value;
        replay.active[a.begin[i].index()] += bytes;
        if (a.end[i].index() < states) {
            replay.active[a.end[i].index()] -= bytes;
        }
    }
    std::partial_sum(replay.active.begin(), replay.active.end(), replay.active.begin());
}

void sumReserved(const trace::Device& device, DeviceReplay& replay)
{
    const std::size_t n = device.events.count();
    replay.reserved.assign(n + 1, 0);
    for (const trace::Segment& s : device.segments) {
        replay.reserved[n] += s.total_size.value;
    }
    for (std::size_t i = n; i-- > 0;) {
        replay.reserved[i] = replay.reserved[i + 1] - reservedChange(device.events, i);
    }
    const auto least = std::ranges::min_element(replay.reserved);
    if (*least < 0) {
        // Counting back from the end went below zero, so segment events are missing or the dump
        // raced.
        const std::int64_t lift = -*least;
        ++replay.violations;
        replay.notes.add(
            "reserved-negative",
            fmt::format(
                "Counting segments back from the end gives {} reserved at state {}; segment "
                "events are missing, so the reserved line is raised by that much.",
                formatExactBytes({*least}), least - replay.reserved.begin()));
        for (std::int64_t& r : replay.reserved) {
            r += lift;
        }
    }
}

/// Free bytes inside private pools per state; stays empty when the file has no such pool.
void sumPrivatePools(const trace::Device& device, DeviceReplay& replay)
{
    const bool any_segment =
        std::ranges::any_of(device.segments, [](const auto& s) { return s.pool.isPrivate(); });
    const bool any_event = std::ranges::any_of(
        device.events.pool, [](const trace::PoolId& p) { return p.isPrivate(); });
    if (!any_segment && !any_event) {
        return;
    }
    const std::size_t n = device.events.count();
    std::vector<std::int64_t> change(n + 2, 0);
    std::int64_t at_end = 0;
    for (const trace::Segment& s : device.segments) {
        at_end += s.pool.isPrivate() ? s.total_size.value : 0;
    }
    const auto isPrivate = [&](std::size_t i) {
        if (!device.events.pool.empty()) {
            return device.events.pool[i].isPrivate();
        }
        const auto it = std::ranges::upper_bound(device.segments, device.events.address[i], {},
                                                 &trace::Segment::address);
        return it != device.segments.begin() && std::prev(it)->pool.isPrivate()
            && device.events.address[i]
            < std::prev(it)->address + static_cast<Address>(std::prev(it)->total_size.value);
    };
    replay.private_cached.assign(n + 1, 0);
    replay.private_cached[n] = at_end;
    for (std::size_t i = n; i-- > 0;) {
        const std::int64_t delta = reservedChange(device.events, i);
        replay.private_cached[i] =
            replay.private_cached[i + 1] - (delta != 0 && isPrivate(i) ? delta : 0);
    }
    const Allocations& a = replay.allocations;
    for (std::size_t i = 0; i < a.count(); ++i) {
        if (a.pool[i].isPrivate()) {
            change[a.begin[i].index()] += a.requested[i].value;
            change[std::min(a.end[i].index(), n + 1)] -= a.requested[i].value;
        }
    }
    std::int64_t live = 0;
    for (std::size_t s = 0; s <= n; ++s) {
        live += change[s];
        replay.private_cached[s] = std::max<std::int64_t>(0, replay.private_cached[s] - live);
    }
}

void checkTotals(const trace::Device& device, DeviceReplay& replay)
{
    std::int64_t end = 0;
    for (const trace::Block& b : device.blocks) {
        end += b.requested.value;
    }
    replay.end_matches_segments = replay.active.back() == end;
    std::int64_t above = 0;
    std::size_t first = 0;
    for (std::size_t s = 0; s < replay.stateCount(); ++s) {
        if (replay.active[s] > replay.reserved[s]) {
            first = above == 0 ? s : first;
            ++above;
        }
    }
    if (above > 0) {
        replay.violations += 1;
        replay.notes.add(
            "active-above-reserved",
            fmt::format(
                "At {} more memory is live than the segments hold ({} against {}); the trace and "
                "the segments of device {} do not belong together, or segment events are missing.",
                first == 0 ? "the start" : formatEventNumber(static_cast<std::int64_t>(first) - 1),
                formatBytes({replay.active[first]}), formatBytes({replay.reserved[first]}),
                device.index),
            above);
    }
}

/// What the trace cannot show, said once per device.
void addCoverageNotes(const trace::Device& device, DeviceReplay& replay)
{
    const Allocations& a = replay.allocations;
    const auto before = static_cast<std::int64_t>(
        std::ranges::count_if(a.begin, [](StateId s) { return s == StateId::start(); }));
    if (device.events.count() == 0 && before > 0) {
        replay.notes.add(
            "no-trace",
            fmt::format(
                "Device {} has its final state but no trace: history was not being recorded, or it "
                "was switched off before the dump. There is no timeline, only the last moment.",
                device.index));
    } else if (before > 0) {
        replay.notes.add("before-recording",
                         fmt::format("{} allocations ({}) on device {} were made before the "
                                     "trace begins; they have no "
                                     "allocation event, and often no stack.",
                                     before, formatBytes({replay.active.front()}), device.index),
                         before);
    }
}

Result<DeviceReplay> runDevice(const trace::Device& device, ProgressSink& progress,
                               const std::stop_token& stop)
{
    DeviceReplay replay;
    if (!buildLifetimes(device, replay, progress, stop)) {
        return Error{ErrorCode::cancelled, "Reading was cancelled.", {}};
    }
    sumActive(device, replay);
    sumReserved(device, replay);
    sumPrivatePools(device, replay);
    checkTotals(device, replay);
    addCoverageNotes(device, replay);
    replay.active_pyramid = MaxPyramid(replay.active);
    replay.peak = StateId{static_cast<std::uint32_t>(
        replay.active_pyramid.argMax(replay.active, {0, replay.active.size()}))};
    for (std::size_t i = 0; i < device.events.count(); ++i) {
        if (device.events.action[i] == Action::oom) {
            replay.ooms.emplace_back(i);
        }
    }
    return replay;
}

} // namespace

Result<Replay> run(const trace::Snapshot& snapshot, ProgressSink& progress, std::stop_token stop)
{
    Replay replay;
    for (const trace::Device& device : snapshot.devices) {
        Result<DeviceReplay> one = runDevice(device, progress, stop);
        if (!one.has_value()) {
            return one.error();
        }
        replay.devices.push_back(std::move(one).value());
    }
    return replay;
}

std::vector<AllocationId> liveAt(const DeviceReplay& replay, StateId state)
{
    const Allocations& a = replay.allocations;
    std::vector<AllocationId> live;
    for (std::size_t i = 0; i < a.count(); ++i) {
        if (a.isLive(AllocationId(i), state)) {
            live.emplace_back(i);
        }
    }
    std::ranges::stable_sort(live, std::ranges::greater(),
                             [&](AllocationId id) { return a.requested[id.index()]; });
    return live;
}

} // namespace tidemark::replay
