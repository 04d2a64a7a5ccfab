// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/block_sizes.h"

#include <algorithm>
#include <unordered_map>

namespace tidemark::replay {
namespace {

constexpr std::int64_t kMinBlock = 512;
constexpr std::int64_t kSmallSize = 1 << 20;
constexpr std::int64_t kSmallSegment = 2 << 20;
constexpr std::int64_t kLargeSegment = 20 << 20;
constexpr std::int64_t kMinLargeAlloc = 10 << 20;

constexpr std::int64_t roundUp(std::int64_t value, std::int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/// How far a block may exceed the rounded request, by kind of pool.
struct Slack {
    std::int64_t small = 0;
    std::int64_t large = 0;
};

/// What the settings allow, widened to what the final blocks show (NPU and power-of-two rounding).
Slack slackOf(const trace::Snapshot& snapshot, const trace::Device& device)
{
    Slack slack;
    const bool all_expandable = snapshot.settings.expandable_segments.value_or(false)
        || (!device.segments.empty()
            && std::ranges::all_of(device.segments, [](const auto& s) { return s.is_expandable; }));
    slack.large = all_expandable ? 0 : kSmallSize;
    if (snapshot.settings.max_split_size_bytes.value_or(-1) > 0) {
        slack.large =
            kLargeSegment; // A request above max_split_size may keep up to this much more.
    }
    for (const trace::Block& b : device.blocks) {
        if (b.state == trace::BlockState::inactive) {
            continue;
        }
        const std::int64_t rounded = roundToBlock(b.requested).value;
        const std::int64_t extra = b.size.value - rounded;
        std::int64_t& of_kind = rounded <= kSmallSize ? slack.small : slack.large;
        of_kind = std::max(of_kind, extra);
    }
    return slack;
}

BlockSizes boundsOf(const trace::Snapshot& snapshot, const trace::Device& device,
                    const DeviceReplay& replay)
{
    const Slack slack = slackOf(snapshot, device);
    const Allocations& a = replay.allocations;
    std::unordered_map<Address, Bytes> final_sizes;
    for (const trace::Block& b : device.blocks) {
        if (b.state != trace::BlockState::inactive) {
            final_sizes.emplace(b.address, b.size);
        }
    }
    BlockSizes sizes;
    sizes.lower.resize(a.count());
    sizes.upper.resize(a.count());
    for (std::size_t i = 0; i < a.count(); ++i) {
        const auto known = a.end[i].index() > device.events.count() ? final_sizes.find(a.address[i])
                                                                    : final_sizes.end();
        if (known != final_sizes.end()) {
            sizes.lower[i] = sizes.upper[i] = known->second;
            continue;
        }
        const Bytes rounded = roundToBlock(a.requested[i]);
        sizes.lower[i] = rounded;
        sizes.upper[i] = rounded + Bytes{rounded.value <= kSmallSize ? slack.small : slack.large};
    }
    return sizes;
}

} // namespace

Bytes roundToBlock(Bytes requested)
{
    return {std::max(kMinBlock, roundUp(requested.value, kMinBlock))};
}

Bytes segmentSizeFor(Bytes rounded_request)
{
    if (rounded_request.value <= kSmallSize) {
        return {kSmallSegment};
    }
    if (rounded_request.value < kMinLargeAlloc) {
        return {kLargeSegment};
    }
    return {roundUp(rounded_request.value, kSmallSegment)};
}

std::vector<BlockSizes> blockSizeBounds(const trace::Snapshot& snapshot, const Replay& replay)
{
    std::vector<BlockSizes> all;
    for (std::size_t d = 0; d < snapshot.devices.size(); ++d) {
        all.push_back(boundsOf(snapshot, snapshot.devices[d], replay.devices[d]));
    }
    return all;
}

BlockPeak peakOfBlocks(const DeviceReplay& replay, const BlockSizes& sizes)
{
    const Allocations& a = replay.allocations;
    const auto largest = [&](const std::vector<Bytes>& bytes) {
        std::vector<std::int64_t> change(replay.stateCount() + 1, 0);
        for (std::size_t i = 0; i < a.count(); ++i) {
            change[a.begin[i].index()] += bytes[i].value;
            change[std::min(a.end[i].index(), replay.stateCount())] -= bytes[i].value;
        }
        std::int64_t now = 0;
        std::int64_t best = 0;
        for (std::size_t s = 0; s < replay.stateCount(); ++s) {
            now += change[s];
            best = std::max(best, now);
        }
        return Bytes{best};
    };
    return {largest(sizes.lower), largest(sizes.upper)};
}

} // namespace tidemark::replay
