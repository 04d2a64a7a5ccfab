// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/bookmarks_report.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/report/json_parts.h"
#include "core/report/selection.h"
#include "core/report/summary_facts.h"

namespace tidemark::report {
namespace {

using diagnose::Analysis;
using pipeline::Bookmark;

bool isInTrace(const Analysis& analysis, const Bookmark& mark)
{
    return mark.device < analysis.deviceCount()
        && !analysis.snapshot->devices[mark.device].isEmpty()
        && mark.state <= analysis.replay->devices[mark.device].lastState();
}

} // namespace

Json bookmarksJson(const Analysis& analysis, std::span<const Bookmark> marks)
{
    Json list = Json::array();
    for (const Bookmark& mark : marks) {
        if (isInTrace(analysis, mark)) {
            const trace::Device& device = analysis.snapshot->devices[mark.device];
            list.push_back(
                {{"device", device.index},
                 {"event", mark.state.eventNumber()},
                 {"time_us", timeJson(device, mark.state)},
                 {"active_bytes", analysis.replay->devices[mark.device].activeAt(mark.state).value},
                 {"note", mark.note}});
        }
    }
    return list;
}

Section bookmarksSection(const Analysis& analysis, std::span<const Bookmark> marks)
{
    Table table{{{say("Device"), Align::left},
                 {say("Moment"), Align::left},
                 {say("Active"), Align::right},
                 {say("Note"), Align::left}},
                {},
                {}};
    for (const Bookmark& mark : marks) {
        if (isInTrace(analysis, mark)) {
            table.rows.push_back(
                {deviceName(analysis.snapshot->devices[mark.device]),
                 momentText(analysis, mark.device, mark.state),
                 formatBytes(analysis.replay->devices[mark.device].activeAt(mark.state)),
                 mark.note});
        }
    }
    if (table.rows.empty()) {
        return {say("Bookmarks"), {}};
    }
    return {say("Bookmarks"),
            {Paragraph{say("Moments marked by hand."), Emphasis::quiet}, std::move(table)}};
}

} // namespace tidemark::report
