// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/block_sizes.h"

#include "core/base/column.h"
#include "core/replay/block_extents.h"
#include "core/replay/changes.h"
#include "core/trace/cut_trace.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace tidemark::replay {
namespace {

/// How far a block may exceed the rounded request, by kind of pool.
struct Slack {
    std::int64_t small = 0;
    std::int64_t large = kSmallSize;
};

/// What the settings allow, widened to what the final blocks show.
Slack slackOf(const trace::Device& device, const SplitRules& rules)
{
    Slack slack;
    if (rules.max_split != std::numeric_limits<std::int64_t>::max()) {
        slack.large = kLargeBuffer; // A request above it may keep up to this much more.
    }
    for (const trace::Block& b : device.blocks) {
        if (b.state == trace::BlockState::inactive) {
            continue;
        }
        const std::int64_t rounded = rules.rounding(b.requested).value;
        std::int64_t& of_kind = rounded <= kSmallSize ? slack.small : slack.large;
        of_kind = std::max(of_kind, b.size.value - rounded);
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

/// The file's own figures for the blocks that live at the dump, which are also the test of the
/// rules; true for those in `known`.
std::vector<bool> takeFinalSizes(const trace::Device& device, const DeviceReplay& replay,
                                 BlockSizes& sizes)
{
    const Allocations& a = replay.allocations;
    const FinalSizes final_sizes(device);
    std::vector<bool> known(a.count(), false);
    for (const AllocationId id : livingAt(replay, replay.lastState())) {
        const std::size_t i = id.index();
        const Bytes* const size = final_sizes.find(a.address[i]);
        if (size == nullptr) {
            continue;
        }
        sizes.contradictions += *size < sizes.lower[i] || *size > sizes.upper[i] ? 1 : 0;
        sizes.lower[i] = *size;
        sizes.upper[i] = *size;
        known[i] = true;
    }
    return known;
}

/// Contradictions of the trace that leave open what lay beside a block. Where the file was cut off,
/// allocations without a free are just those that were live then.
std::int64_t doubtfulLifetimes(const trace::Snapshot& snapshot, const DeviceReplay& replay)
{
    const trace::InputNote* const alive =
        trace::endsEarly(snapshot.notes) ? replay.notes.find("lost-free") : nullptr;
    return replay.violations - (alive == nullptr ? 0 : alive->count);
}

/// Pinned memory: a block is never split, so it is its segment. Where no segment is known it is
/// what was asked for, or the next power of two, to which new blocks are rounded. Source:
/// CachingHostAllocatorImpl::allocate, aten/src/ATen/core/CachingHostAllocator.h.
BlockSizes pinnedBlocks(const DeviceReplay& replay)
{
    const Allocations& a = replay.allocations;
    const SegmentSpans& spans = replay.segments;
    std::multimap<Address, std::size_t> span_at;
    for (std::size_t s = 0; s < spans.count(); ++s) {
        span_at.emplace(spans.address[s], s);
    }
    BlockSizes sizes;
    for (std::size_t i = 0; i < a.count(); ++i) {
        const std::int64_t requested = a.requested[i].value;
        Bytes lower{requested};
        Bytes upper{static_cast<std::int64_t>(
            std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(requested, 1))))};
        const auto [first, last] = span_at.equal_range(a.address[i]);
        const auto own = std::find_if(first, last, [&](const auto& entry) {
            return spans.lifetimes().isLive(static_cast<std::uint32_t>(entry.second), a.begin[i]);
        });
        if (own != last && spans.size[own->second].value >= requested) {
            lower = upper = spans.size[own->second];
        }
        sizes.lower.push_back(lower);
        sizes.upper.push_back(upper);
    }
    return sizes;
}

/// Whether expandable segments were on in some part of the run, whatever the file says of its end.
bool wasExpandable(const trace::Snapshot& snapshot, const DeviceReplay& replay)
{
    return snapshot.settings.expandable_segments.value_or(false)
        || std::ranges::any_of(replay.segments.traits, [](std::uint8_t traits) {
               return (traits & SegmentSpans::kExpandable) != 0;
           });
}

BlockSizes boundsOf(const trace::Snapshot& snapshot, const trace::Device& device,
                    const DeviceReplay& replay)
{
    if (device.kind == trace::DeviceKind::host) {
        return pinnedBlocks(replay);
    }
    const RoundingFound rounding = findRounding(snapshot.settings, device);
    SplitRules rules;
    rules.rounding = rounding.rule;
    rules.splits_all = wasExpandable(snapshot, replay);
    if (const auto max_split = snapshot.settings.max_split_size_bytes.value_or(-1); max_split > 0) {
        rules.max_split = max_split;
    }
    BlockSizes sizes = extentsFromTrace(replay, rules);
    const std::vector<bool> known = takeFinalSizes(device, replay, sizes);
    sizes.contradictions += rounding.contradictions;
    if (sizes.contradictions == 0 && doubtfulLifetimes(snapshot, replay) == 0) {
        return sizes;
    }
    const Slack slack = slackOf(device, rules);
    for (std::size_t i = 0; i < sizes.lower.size(); ++i) {
        if (!known[i]) {
            const Bytes rounded = rules.rounding(replay.allocations.requested[i]);
            const bool is_small = rounded.value <= kSmallSize;
            sizes.lower[i] = rounded;
            sizes.upper[i] =
                std::max(sizes.upper[i], rounded + Bytes{is_small ? slack.small : slack.large});
        }
    }
    return sizes;
}

} // namespace

std::vector<BlockSizes> blockSizeBounds(const trace::Snapshot& snapshot, const Replay& replay)
{
    std::vector<BlockSizes> all;
    for (std::size_t d = 0; d < snapshot.devices.size(); ++d) {
        all.push_back(boundsOf(snapshot, snapshot.devices[d], replay.devices[d]));
    }
    return all;
}

BlockTotals blockTotals(const DeviceReplay& replay, const BlockSizes& sizes)
{
    const Allocations& all = replay.allocations;
    const bool has_private = replay.hasPrivatePools() && !all.pool.empty();
    BlockTotals totals;
    for (auto* column : {&totals.lower, &totals.upper}) {
        assignColumn(*column, replay.stateCount(), std::int64_t{0});
    }
    if (replay.hasPrivatePools()) {
        totals.private_lower = totals.lower;
        totals.private_upper = totals.upper;
    }
    const auto add = [&](StateId s, AllocationId a, int sign) {
        const std::int64_t lower = sign * sizes.lower[a.index()].value;
        const std::int64_t upper = sign * sizes.upper[a.index()].value;
        totals.lower[s.index()] += lower;
        totals.upper[s.index()] += upper;
        if (has_private && all.pool[a.index()].isPrivate()) {
            totals.private_lower[s.index()] += lower;
            totals.private_upper[s.index()] += upper;
        }
    };
    forEachChange(replay,
                  [&](StateId s, AllocationId a, bool begins) { add(s, a, begins ? 1 : -1); });
    for (auto* column :
         {&totals.lower, &totals.upper, &totals.private_lower, &totals.private_upper}) {
        std::partial_sum(column->begin(), column->end(), column->begin());
    }
    return totals;
}

BlockPeak peakOfBlocks(const DeviceReplay& replay, const BlockSizes& sizes)
{
    BlockPeak now{};
    for (std::size_t i = 0; i < countAtStart(replay.allocations); ++i) {
        now.lower += sizes.lower[i];
        now.upper += sizes.upper[i];
    }
    BlockPeak peak{std::max(now.lower, Bytes{}), std::max(now.upper, Bytes{}), StateId::start()};
    const StateId end{static_cast<std::uint32_t>(replay.stateCount())};
    forEachChange(replay, {StateId::start(), end}, [&](StateId s, AllocationId a, bool begins) {
        if (begins) {
            now.lower += sizes.lower[a.index()];
            now.upper += sizes.upper[a.index()];
            peak.state = now.lower > peak.lower ? s : peak.state;
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
