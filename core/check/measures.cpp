// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/check/measures.h"

#include "core/curves/step_growth.h"
#include "core/curves/trend.h"
#include "core/report/timeline_points.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::check {
namespace {

constexpr std::size_t kMostEnds = 256; ///< The median slope takes the square of it.

/// Of what is live at the ends of steps.
std::optional<std::int64_t> growthOf(const replay::DeviceReplay& replay,
                                     const label::DeviceLabels& labels)
{
    const std::vector<StateId> ends =
        curves::growthPerStep(replay, labels, replay.lastState()).ends;
    if (ends.size() < 3) {
        return std::nullopt;
    }
    std::vector<std::uint32_t> at;
    std::vector<std::int64_t> values;
    const std::size_t stride = (ends.size() + kMostEnds - 1) / kMostEnds;
    for (std::size_t i = 0; i < ends.size(); i += stride) {
        at.push_back(static_cast<std::uint32_t>(i));
        values.push_back(replay.activeAt(ends[i]).value);
    }
    return std::max<std::int64_t>(0, std::llround(curves::medianSlope(at, values)));
}

} // namespace

std::optional<std::int64_t> DeviceMeasures::of(const Budget& budget) const
{
    switch (budget.measure) {
    case Measure::peak:
        return budget.bucket ? buckets[label::indexOf(*budget.bucket)] : peak;
    case Measure::reserved:
        return reserved;
    case Measure::growth:
        return growth;
    case Measure::fragmentation:
        return fragmentation;
    case Measure::ooms:
        return ooms;
    }
    return std::nullopt;
}

std::vector<DeviceMeasures> measuresOf(const diagnose::Analysis& analysis)
{
    std::vector<DeviceMeasures> all;
    for (std::size_t d = 0; d < analysis.deviceCount(); ++d) {
        const trace::Device& device = analysis.snapshot->devices[d];
        if (device.isEmpty()) {
            continue;
        }
        const replay::DeviceReplay& replay = analysis.replay->devices[d];
        const curves::DeviceCurves& curves = analysis.curves->devices[d];
        DeviceMeasures measures;
        measures.device = device.kind == trace::DeviceKind::host ? -1 : device.index;
        measures.index = d;
        measures.peak = replay.activeAt(replay.peak).value;
        measures.reserved =
            curves.largestReserved({StateId::start(), {replay.lastState().value + 1}});
        measures.growth = growthOf(replay, analysis.labels->devices[d]);
        measures.ooms = static_cast<std::int64_t>(replay.ooms.size());
        measures.steps = analysis.labels->devices[d].steps.size();
        const StateId fullest{static_cast<std::uint32_t>(std::ranges::max_element(replay.reserved)
                                                         - replay.reserved.begin())};
        const std::array states{fullest};
        const auto holes = report::fragmentationAt(analysis, d, states);
        measures.fragmentation = std::llround(holes.front().shareOf(replay.reservedAt(fullest))
                                              * static_cast<double>(kFragmentationUnit));
        for (const label::BucketInfo& info : label::kBuckets) {
            measures.buckets[label::indexOf(info.bucket)] = curves.largestOf(info.bucket);
        }
        all.push_back(measures);
    }
    return all;
}

} // namespace tidemark::check
