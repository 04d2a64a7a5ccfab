// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/runs/captured_moments.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace tidemark::label {
namespace {

using trace::Action;
const trace::CaptureClock* clockOf(const trace::Capture& capture, std::int32_t device)
{
    const auto it = std::ranges::find(capture.clocks, device, &trace::CaptureClock::device);
    return it == capture.clocks.end() ? nullptr : &*it;
}

bool isCounted(Action action)
{
    return action == Action::alloc || action == Action::free_requested;
}

/// The state after event `e` and, for a request to free, the completion that belongs to it.
StateId behind(const trace::Events& events, std::size_t e)
{
    const std::size_t next = e + 1;
    const bool completes = events.action[e] == Action::free_requested && next < events.count()
        && events.action[next] == Action::free_completed
        && events.address[next] == events.address[e];
    return StateId::after(EventId(completes ? next : e));
}

/// Moments by how many counted events follow, those of none first.
using Following = std::vector<std::pair<std::int64_t, std::size_t>>;

Following followingEvents(const trace::CaptureClock& clock, const trace::CaptureDevice& at_dump)
{
    Following following;
    for (std::size_t m = 0; m < clock.operations.size(); ++m) {
        const std::int64_t left = *at_dump.operations - clock.operations[m];
        if (clock.operations[m] >= 0 && clock.epoch[m] == at_dump.epoch && left >= 0) {
            following.emplace_back(left, m);
        }
    }
    std::ranges::sort(following);
    return following;
}

void placeByCount(const trace::Events& events, const Following& following, CapturedPlaces& places)
{
    std::int64_t counted = 0;
    std::size_t e = events.count();
    auto next = following.begin();
    while (next != following.end()) {
        // Back to the last counted event that is not among those that follow.
        while (e > 0 && (!isCounted(events.action[e - 1]) || counted < next->first)) {
            counted += isCounted(events.action[e - 1]) ? 1 : 0;
            --e;
        }
        const bool is_earlier = counted < next->first;
        const StateId state = e == 0 ? StateId::start() : behind(events, e - 1);
        places[next->second] = CapturedPlace{state, is_earlier};
        ++next;
    }
}

/// Markers are allocated and freed at once, and no two in a row have the same size.
void placeByMarker(const trace::Capture& capture, const trace::Events& events,
                   CapturedPlaces& places)
{
    std::unordered_map<std::int64_t, std::size_t> moment_of;
    for (std::size_t m = 0; m < places.size(); ++m) {
        if (!places[m] && capture.moments.marker_bytes[m] > 0) {
            moment_of[capture.moments.marker_bytes[m]] = m;
        }
    }
    if (moment_of.empty()) {
        return;
    }
    for (std::size_t e = 0; e + 1 < events.count(); ++e) {
        if (events.action[e] != Action::alloc || events.action[e + 1] != Action::free_requested
            || events.address[e] != events.address[e + 1]) {
            continue;
        }
        const auto it = moment_of.find(events.size[e].value);
        if (it != moment_of.end()) {
            places[it->second] = CapturedPlace{StateId::before(EventId(e)), false};
        }
    }
}

} // namespace

CapturedPlaces placeMoments(const trace::Capture& capture, const trace::Device& device)
{
    CapturedPlaces places(capture.moments.count());
    const trace::CaptureClock* const clock = clockOf(capture, device.index);
    const trace::CaptureDevice* const at_dump = capture.device(device.index);
    if (clock != nullptr && at_dump != nullptr && at_dump->operations) {
        placeByCount(device.events, followingEvents(*clock, *at_dump), places);
    }
    placeByMarker(capture, device.events, places);
    return places;
}

} // namespace tidemark::label
