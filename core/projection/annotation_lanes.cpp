// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/annotation_lanes.h"

#include <algorithm>

namespace tidemark::projection {
namespace {

/// One end of a scope at a place in a device's trace.
struct End {
    StringId name;
    bool is_start = true;
    StateId state;
    TimePoint time;
};

/// The annotations of the file, placed among the events by their times.
std::vector<End> placedEnds(const trace::Snapshot& snapshot, const trace::Device& device)
{
    std::vector<End> ends;
    if (!device.events.hasTimes()) {
        return ends;
    }
    const auto& all = snapshot.annotations;
    const bool names_one_device = std::ranges::all_of(
        all, [&](const trace::Annotation& a) { return a.device == all.front().device; });
    const AxisMap axis(device, Axis::time);
    const TimePoint first = device.events.time.front();
    for (const trace::Annotation& a : all) {
        if (names_one_device || a.device == device.index) {
            const bool is_before = a.time < first;
            const StateId state = is_before
                ? StateId::start()
                : axis.toState(static_cast<double>((a.time - first).count()));
            ends.push_back({a.name, a.is_start, state, a.time});
        }
    }
    return ends;
}

/// Markers among the events: one frame, whose file is the name and whose function says which end.
void addMarkers(const trace::Snapshot& snapshot, const trace::Device& device,
                std::vector<End>& ends)
{
    const trace::Events& events = device.events;
    for (std::size_t i = 0; i < events.count(); ++i) {
        if (events.action[i] != trace::Action::user_defined || events.stack[i].isNone()) {
            continue;
        }
        const auto frames = snapshot.stacks.frames(events.stack[i]);
        if (frames.empty()) {
            continue;
        }
        const Frame& frame = snapshot.stacks.frame(frames.front());
        ends.push_back({frame.filename, snapshot.text(frame.name) != "END",
                        StateId::after(EventId(i)),
                        events.hasTimes() ? events.time[i] : TimePoint()});
    }
}

} // namespace

AnnotationLanes annotationLanes(const trace::Snapshot& snapshot, std::size_t device_number)
{
    const trace::Device& device = snapshot.devices[device_number];
    AnnotationLanes result;
    std::vector<End> ends = placedEnds(snapshot, device);
    addMarkers(snapshot, device, ends);
    std::ranges::stable_sort(ends, {}, &End::state);
    std::vector<std::size_t> open; // Numbers of spans, outermost first.
    const StateId last{static_cast<std::uint32_t>(device.events.count())};
    const TimePoint end_time =
        device.events.hasTimes() ? std::ranges::max(device.events.time) : TimePoint();
    for (const End& end : ends) {
        if (end.is_start) {
            open.push_back(result.spans.size());
            const auto lane = static_cast<std::uint32_t>(open.size() - 1);
            result.spans.push_back({end.name,
                                    {end.state, last},
                                    {end.time, std::max(end.time, end_time)},
                                    lane,
                                    true});
            result.lanes = std::max(result.lanes, lane + 1);
            continue;
        }
        const auto opened = std::find_if(open.rbegin(), open.rend(), [&](std::size_t span) {
            return result.spans[span].name == end.name;
        });
        if (opened == open.rend()) {
            ++result.unmatched;
            continue;
        }
        AnnotationSpan& span = result.spans[*opened];
        span.states.end = end.state;
        span.times.end = end.time;
        span.is_open = false;
        open.erase(std::next(opened).base());
    }
    return result;
}

Interval<double> extentOf(const AnnotationSpan& span, const trace::Device& device,
                          const AxisMap& axis)
{
    if (axis.axis() != Axis::time) {
        return {axis.toX(span.states.begin), axis.toX(span.states.end)};
    }
    const TimePoint first = device.events.time.front();
    return {static_cast<double>((span.times.begin - first).count()),
            static_cast<double>((span.times.end - first).count())};
}

} // namespace tidemark::projection
