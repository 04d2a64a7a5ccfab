// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/trace/wrapped_trace.h"

#include <algorithm>
#include <tuple>

namespace tidemark::trace {
namespace {

/// The first event after the one place where times run backwards; 0 if there is none or more.
std::size_t breakOf(const std::vector<TimePoint>& times)
{
    const auto descends = [](TimePoint a, TimePoint b) { return b < a; };
    const auto first = std::ranges::adjacent_find(times, descends);
    if (first == times.end()) {
        return 0;
    }
    const bool is_only = std::adjacent_find(std::next(first), times.end(), descends) == times.end();
    return is_only && times.back() <= times.front()
        ? static_cast<std::size_t>(first - times.begin()) + 1
        : 0;
}

} // namespace

std::size_t unwrapTrace(Events& events, std::int32_t index, std::span<OtherField> fields)
{
    const std::size_t count = events.count();
    const std::size_t moved = breakOf(events.time);
    if (moved == 0) {
        return 0;
    }
    const auto rotate = [&](auto& column) {
        if (!column.empty()) {
            std::rotate(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(moved),
                        column.end());
        }
    };
    rotate(events.action);
    rotate(events.address);
    rotate(events.size);
    rotate(events.stream);
    rotate(events.stack);
    rotate(events.time);
    rotate(events.pool);
    rotate(events.user_metadata);
    rotate(events.compile_context);
    rotate(events.category);
    rotate(events.forward_frames);
    rotate(events.internal_metadata);
    const auto placeOf = [&](std::size_t event) { return (event + count - moved) % count; };
    for (auto& [event, name] : events.other_names) {
        event = EventId(placeOf(event.index()));
    }
    std::ranges::sort(events.other_names);
    for (OtherField& field : fields) {
        if (field.place == Place::event && field.device == index) {
            field.item = placeOf(static_cast<std::size_t>(field.item));
        }
    }
    std::ranges::stable_sort(fields, {}, [](const OtherField& field) {
        return std::tuple(field.place, field.device, field.item);
    });
    return moved;
}

} // namespace tidemark::trace
