// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/timeline_points.h"

#include <algorithm>

namespace tidemark::report {
namespace {

void sortUnique(std::vector<StateId>& states)
{
    std::ranges::sort(states);
    states.erase(std::unique(states.begin(), states.end()), states.end());
}

std::vector<StateId> statesToKeep(const replay::DeviceReplay& replay)
{
    const auto reserved = std::ranges::max_element(replay.reserved);
    std::vector<StateId> states{
        StateId::start(), replay.lastState(), replay.peak,
        StateId{static_cast<std::uint32_t>(reserved - replay.reserved.begin())}};
    for (const EventId oom : replay.ooms) {
        states.push_back(StateId::before(oom));
        states.push_back(StateId::after(oom));
    }
    sortUnique(states);
    return states;
}

} // namespace

std::vector<StateId> timelineStates(const curves::DeviceCurves& curves, std::size_t points)
{
    const std::size_t count = curves.stateCount();
    if (count == 0) {
        return {};
    }
    std::vector<StateId> states = statesToKeep(curves.replay());
    const std::size_t stretches =
        count <= points ? count : points - std::min(points, states.size());
    for (std::size_t i = 0; i < stretches; ++i) {
        const auto begin = static_cast<std::uint32_t>(i * count / stretches);
        const auto end = static_cast<std::uint32_t>((i + 1) * count / stretches);
        states.push_back(curves.largest({StateId{begin}, StateId{end}}));
    }
    sortUnique(states);
    return states;
}

std::vector<replay::Fragmentation> fragmentationAt(const diagnose::Analysis& analysis,
                                                   std::size_t device,
                                                   std::span<const StateId> states)
{
    NoProgress progress;
    return replay::fragmentationOver(analysis.replay->devices[device],
                                     (*analysis.block_sizes)[device], states, progress, {})
        .value();
}

} // namespace tidemark::report
