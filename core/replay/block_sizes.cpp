// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/block_sizes.h"

#include "core/base/column.h"
#include "core/replay/changes.h"

#include <algorithm>

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

/// Sizes of the final active blocks, by address. Of several at one address the first counts.
class FinalSizes {
public:
    explicit FinalSizes(const trace::Device& device)
    {
        for (const trace::Block& b : device.blocks) {
            if (b.state != trace::BlockState::inactive) {
                m_sizes.emplace_back(b.address, b.size);
            }
        }
        std::ranges::stable_sort(m_sizes, {}, &Entry::first);
    }

    [[nodiscard]] const Bytes* find(Address address) const
    {
        const auto it = std::ranges::lower_bound(m_sizes, address, {}, &Entry::first);
        return it == m_sizes.end() || it->first != address ? nullptr : &it->second;
    }

private:
    using Entry = std::pair<Address, Bytes>;
    std::vector<Entry> m_sizes;
};

BlockSizes boundsOf(const trace::Snapshot& snapshot, const trace::Device& device,
                    const DeviceReplay& replay)
{
    const Slack slack = slackOf(snapshot, device);
    const Allocations& a = replay.allocations;
    const FinalSizes final_sizes(device);
    BlockSizes sizes;
    reserveColumn(sizes.lower, a.count());
    reserveColumn(sizes.upper, a.count());
    for (std::size_t i = 0; i < a.count(); ++i) {
        const bool is_final = a.end[i].index() > device.events.count();
        if (const Bytes* known = is_final ? final_sizes.find(a.address[i]) : nullptr) {
            sizes.lower.push_back(*known);
            sizes.upper.push_back(*known);
            continue;
        }
        const Bytes rounded = roundToBlock(a.requested[i]);
        sizes.lower.push_back(rounded);
        sizes.upper.push_back(rounded
                              + Bytes{rounded.value <= kSmallSize ? slack.small : slack.large});
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
    BlockPeak now{};
    for (std::size_t i = 0; i < countAtStart(replay.allocations); ++i) {
        now.lower += sizes.lower[i];
        now.upper += sizes.upper[i];
    }
    BlockPeak peak{std::max(now.lower, Bytes{}), std::max(now.upper, Bytes{})};
    const StateId end{static_cast<std::uint32_t>(replay.stateCount())};
    forEachChange(replay, {StateId::start(), end}, [&](StateId, AllocationId a, bool begins) {
        if (begins) {
            now.lower += sizes.lower[a.index()];
            now.upper += sizes.upper[a.index()];
            peak.lower = std::max(peak.lower, now.lower);
            peak.upper = std::max(peak.upper, now.upper);
        } else {
            now.lower -= sizes.lower[a.index()];
            now.upper -= sizes.upper[a.index()];
        }
    });
    return peak;
}

} // namespace tidemark::replay
