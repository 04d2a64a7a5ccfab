// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/report/page_parts.h"

#include <array>
#include <utility>

namespace tidemark::report {
namespace {

struct PageWord {
    const char* key;
    const char* english;
};

/// By the names that resources/page/page.js has for them.
constexpr std::array kPageWords{
    PageWord{"start", toSay("start")},
    PageWord{"event", toSay("event {}")},
    PageWord{"step", toSay("step {}")},
    PageWord{"axis", toSay("event")},
    PageWord{"axis_time", toSay("time")},
    PageWord{"by_event", toSay("Axis: events")},
    PageWord{"by_time", toSay("Axis: time")},
    PageWord{"key_axis", toSay("Events or time on the axis")},
    PageWord{"devices", toSay("Device")},
    PageWord{"devices_left_out", toSay("Devices with lower peaks are left out: {}.")},
    PageWord{"key_device", toSay("Show the next device")},
    PageWord{"capacity", toSay("capacity {}")},
    PageWord{"asked", toSay("requested {}")},
    PageWord{"asked_free", toSay("requested {}, free {}")},
    PageWord{"oom", toSay("OOM")},
    PageWord{"first_oom", toSay("first OOM")},
    PageWord{"peak", toSay("peak {}")},
    PageWord{"median", toSay("{} (median)")},
    PageWord{"to_peak", toSay("Peak")},
    PageWord{"cursor", toSay("At the cursor")},
    PageWord{"hover", toSay("Move over the timeline.")},
    PageWord{"total", toSay("Total")},
    PageWord{"cached", toSay("Cached")},
    PageWord{"reserved", toSay("Reserved")},
    PageWord{"pools", toSay("Free in private pools")},
    PageWord{"zoom_in", toSay("Zoom in")},
    PageWord{"zoom_out", toSay("Zoom out")},
    PageWord{"fit", toSay("All")},
    PageWord{"fit_long", toSay("Show the whole run")},
    PageWord{"aligned", toSay("Matched moments of both runs are at one place.")},
    PageWord{"reduced",
             toSay("Drawn in columns of {} events, each as its fullest; every event near the "
                   "peak and the last OOM. {} events in all.")},
    PageWord{"filter", toSay("Filter: words, >100MiB")},
    PageWord{"map", toSay("Allocations by size")},
    PageWord{"size", toSay("Size")},
    PageWord{"bucket", toSay("Bucket")},
    PageWord{"role", toSay("Role")},
    PageWord{"what", toSay("What")},
    PageWord{"where", toSay("Where")},
    PageWord{"made", toSay("Allocated at")},
    PageWord{"gone", toSay("Freed at")},
    PageWord{"before", toSay("before the trace")},
    PageWord{"kept", toSay("never")},
    PageWord{"no_stack", toSay("no stack recorded")},
    PageWord{"more_frames", toSay("… {} more")},
    PageWord{"listed", toSay("{} of {} allocations, {}.")},
    PageWord{"left_out", toSay("The smallest {} are left out, {} in total.")},
    PageWord{"allocations", toSay("Allocations")},
    PageWord{"stacks", toSay("Stacks")},
    PageWord{"fixes", toSay("Fixes")},
    PageWord{"details", toSay("Details")},
    PageWord{"everything", toSay("Everything")},
    PageWord{"tree", toSay("{}, {}: callers above, what they call below. Click to zoom.")},
    PageWord{"calls_left_out", toSay("The {} smallest calls are left out.")},
    PageWord{"in_allocations", toSay("{} in {} allocations")},
    PageWord{"libraries", toSay("Library frames")},
    PageWord{"why", toSay("Why?")},
    PageWord{"theme", toSay("Light or dark")},
    PageWord{"theme_auto", toSay("Theme: system")},
    PageWord{"theme_light", toSay("Theme: light")},
    PageWord{"theme_dark", toSay("Theme: dark")},
    PageWord{"keys", toSay("Keys")},
    PageWord{"close", toSay("Close")},
    PageWord{"key_step", toSay("Move the cursor; with Shift by 20")},
    PageWord{"key_zoom", toSay("Zoom in and out, as the wheel does")},
    PageWord{"key_peak", toSay("Go to the peak")},
    PageWord{"key_oom", toSay("Go to the OOM")},
    PageWord{"key_drag_name", toSay("Shift + drag")},
    PageWord{"key_drag", toSay("Zoom to a range; without Shift: pan")},
    PageWord{"key_tabs", toSay("Switch tabs")},
    PageWord{"key_filter", toSay("In Stacks: list what the call allocated, as a right click does")},
    PageWord{"key_escape", toSay("Release the cursor and show the whole run")},
};

} // namespace

Json pageWords()
{
    Json words = Json::object();
    for (const PageWord& word : kPageWords) {
        words[word.key] = translated(word.english);
    }
    return words;
}

} // namespace tidemark::report
