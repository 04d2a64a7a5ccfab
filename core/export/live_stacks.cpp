// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/export/live_stacks.h"

#include "core/base/format.h"
#include "core/base/short_text.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace tidemark::exports {

std::vector<std::int64_t> timesOf(const diagnose::Analysis& analysis, std::size_t device)
{
    const trace::Events& events = analysis.snapshot->devices[device].events;
    std::vector<std::int64_t> times(events.count() + 1, 0);
    std::int64_t latest =
        events.hasTimes() && events.count() > 0 ? microseconds(events.time[0]) : 0;
    times[0] = latest;
    for (std::size_t e = 0; e < events.count(); ++e) {
        latest = events.hasTimes() ? std::max(latest, microseconds(events.time[e]))
                                   : static_cast<std::int64_t>(e) + 1;
        times[e + 1] = latest;
    }
    return times;
}

StateId peakOf(const diagnose::Analysis& analysis, const Part& part)
{
    return analysis.curves->devices[part.device].largest(part.states);
}

std::vector<LiveStack> liveStacks(const diagnose::Analysis& analysis, const Part& part)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[part.device];
    const label::DeviceLabels& labels = analysis.labels->devices[part.device];
    std::map<std::pair<std::uint32_t, label::Bucket>, LiveStack> found;
    for (const AllocationId a : replay::livingAt(replay, peakOf(analysis, part))) {
        const StackId stack = replay.allocations.stack[a.index()];
        const label::Bucket bucket = labels.bucket[a.index()];
        LiveStack& sum = found[{stack.value, bucket}];
        sum.stack = stack;
        sum.bucket = bucket;
        sum.bytes += replay.allocations.requested[a.index()].value;
        ++sum.count;
    }
    std::vector<LiveStack> list;
    for (const auto& [key, sum] : found) {
        list.push_back(sum);
    }
    return list;
}

std::string frameText(const trace::Snapshot& snapshot, const Frame& frame)
{
    const std::string name = report::visibleText(shortName(snapshot.text(frame.name)));
    const std::string file = report::visibleText(shortName(snapshot.text(frame.filename)));
    if (file.empty() || file == "??") {
        return name;
    }
    return frame.line > 0 ? fmt::format("{} {}:{}", name, baseName(file), frame.line)
                          : fmt::format("{} {}", name, baseName(file));
}

} // namespace tidemark::exports
