// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/export/tables.h"

#include "core/base/short_text.h"
#include "core/report/label_row.h"
#include "core/report/places.h"
#include "core/report/text_tools.h"

#include <algorithm>
#include <initializer_list>

namespace tidemark::exports {
namespace {

Cell textCell(std::string_view text)
{
    return report::visibleText(shortName(text));
}
Cell textOrNone(std::string_view text)
{
    return text.empty() ? Cell() : textCell(text);
}
template <class Number>
Cell numberCell(Number number)
{
    return static_cast<std::int64_t>(number);
}
template <class Tag>
Cell idCell(Id<Tag> id)
{
    return id.isNone() ? Cell() : numberCell(id.value);
}
Cell optionalCell(const std::optional<std::int64_t>& number)
{
    return number ? Cell(*number) : Cell();
}

bool give(const TakeRow& take, std::initializer_list<Cell> cells)
{
    return take(std::span(cells.begin(), cells.size()));
}

const trace::Device& deviceOf(const Source& source, const Part& part)
{
    return source.analysis.snapshot->devices[part.device];
}

void metaRows(const Source& source, const TakeRow& take)
{
    give(take, {textCell("schema_version"), textCell(std::to_string(kTablesVersion))});
    give(take, {textCell("tidemark_version"), textCell(source.wanted.version)});
    give(take, {textCell("file"), textCell(source.analysis.file.filename().string())});
    give(take, {textCell("allocator_settings"), textCell(source.analysis.snapshot->settings.conf)});
    if (const std::string hidden = hiddenNames(source); !hidden.empty()) {
        give(take, {textCell("redacted"), textCell(hidden)});
    }
}

void deviceRows(const Source& source, const TakeRow& take)
{
    for (const Part& part : source.parts) {
        const replay::DeviceReplay& replay = source.analysis.replay->devices[part.device];
        const curves::DeviceCurves& curves = source.analysis.curves->devices[part.device];
        const StateId peak = curves.largest(part.states);
        const bool is_host = deviceOf(source, part).kind == trace::DeviceKind::host;
        const bool goes_on =
            give(take,
                 {numberCell(deviceOf(source, part).index), textCell(is_host ? "host" : "gpu"),
                  numberCell(part.endEvent() - part.firstEvent()), Cell(peak.eventNumber()),
                  numberCell(replay.activeAt(peak).value),
                  numberCell(curves.largestReserved(part.states)),
                  numberCell(std::ranges::count_if(replay.ooms, [&](EventId e) {
                      return e.value >= part.firstEvent() && e.value < part.endEvent();
                  }))});
        if (!goes_on) {
            return;
        }
    }
}

/// The most that each bucket takes in the states of a part.
label::BucketBytes largestIn(const curves::DeviceCurves& curves, const Part& part)
{
    StateId before = part.states.begin;
    label::BucketBytes bytes = curves.at(before);
    label::BucketBytes largest = bytes;
    for (std::uint32_t s = before.value + 1; s < part.states.end.value; ++s) {
        bytes = curves.at({s}, before, bytes);
        before = {s};
        for (std::size_t b = 0; b < largest.size(); ++b) {
            largest[b] = std::max(largest[b], bytes[b]);
        }
    }
    return largest;
}

void bucketRows(const Source& source, const TakeRow& take)
{
    for (const Part& part : source.parts) {
        const curves::DeviceCurves& curves = source.analysis.curves->devices[part.device];
        const label::BucketBytes bytes = curves.at(curves.largest(part.states));
        const label::BucketBytes largest = largestIn(curves, part);
        for (const label::BucketInfo& info : label::kBuckets) {
            if (!give(take,
                      {numberCell(deviceOf(source, part).index), textCell(info.id),
                       numberCell(bytes[label::indexOf(info.bucket)]),
                       numberCell(largest[label::indexOf(info.bucket)])})) {
                return;
            }
        }
    }
}

void eventRows(const Source& source, const TakeRow& take)
{
    for (const Part& part : source.parts) {
        const trace::Device& device = deviceOf(source, part);
        const trace::Events& events = device.events;
        const replay::DeviceReplay& replay = source.analysis.replay->devices[part.device];
        for (std::uint32_t e = part.firstEvent(); e < part.endEvent(); ++e) {
            const bool is_oom = events.action[e] == trace::Action::oom;
            const Cell address =
                is_oom ? Cell() : numberCell(static_cast<std::int64_t>(events.address[e]));
            const Cell time = events.hasTimes() ? numberCell(microseconds(events.time[e])) : Cell();
            const StateId after = StateId::after(EventId(e));
            if (!give(take,
                      {numberCell(device.index), numberCell(e),
                       textCell(trace::actionName(events.action[e])), address,
                       numberCell(events.size[e].value),
                       numberCell(static_cast<std::int64_t>(events.stream[e])), time,
                       idCell(events.stack[e]), idCell(replay.event_allocation[e]),
                       numberCell(replay.activeAt(after).value),
                       numberCell(replay.reservedAt(after).value)})) {
                return;
            }
        }
    }
}

void allocationRows(const Source& source, const TakeRow& take)
{
    report::Places places(source.analysis);
    for (const Part& part : source.parts) {
        const replay::Allocations& all = source.analysis.replay->devices[part.device].allocations;
        for (std::size_t i = 0; i < all.count(); ++i) {
            if (!part.has(all, i)) {
                continue;
            }
            const AllocationId a(i);
            const report::LabelRow row = report::labelRow(source.analysis, part.device, a);
            const report::Place& place = places.of(part.device, a);
            const auto block = row.block();
            if (!give(take,
                      {numberCell(deviceOf(source, part).index), numberCell(i),
                       optionalCell(row.alloc_event), optionalCell(row.free_requested_event),
                       optionalCell(row.free_event),
                       numberCell(static_cast<std::int64_t>(row.address)),
                       numberCell(row.requested.value), block ? Cell(block->value) : Cell(),
                       numberCell(static_cast<std::int64_t>(all.stream[i])), idCell(all.stack[i]),
                       textCell(row.bucket), textOrNone(row.role), numberCell(row.confidence),
                       textCell(row.reason->rule), textOrNone(place.text),
                       textOrNone(place.user)})) {
                return;
            }
        }
    }
}

void frameRows(const Source& source, const TakeRow& take)
{
    const trace::Snapshot& snapshot = *source.analysis.snapshot;
    for (std::size_t i = 0; i < snapshot.stacks.frameCount(); ++i) {
        const Frame& frame = snapshot.stacks.frame(FrameId(i));
        if (!give(take,
                  {numberCell(i), textCell(snapshot.text(frame.name)),
                   textCell(snapshot.text(frame.filename)),
                   frame.line > 0 ? numberCell(frame.line) : Cell()})) {
            return;
        }
    }
}

void stackRows(const Source& source, const TakeRow& take)
{
    const StackPool& stacks = source.analysis.snapshot->stacks;
    for (std::size_t i = 0; i < stacks.stackCount(); ++i) {
        std::int64_t depth = 0;
        for (const FrameId frame : stacks.frames(StackId(i))) {
            if (!give(take, {numberCell(i), Cell(depth++), numberCell(frame.value)})) {
                return;
            }
        }
    }
}

void phaseRows(const Source& source, const TakeRow& take)
{
    for (const Part& part : source.parts) {
        for (const label::PhaseSpan& span : source.analysis.labels->devices[part.device].phases) {
            const std::uint32_t first = std::max(span.first.value, part.firstEvent());
            const std::uint32_t end = std::min(span.end.value, part.endEvent());
            if (first < end
                && !give(take,
                         {numberCell(deviceOf(source, part).index), numberCell(first),
                          numberCell(end - 1), textCell(label::phaseId(span.phase)),
                          span.step > 0 ? numberCell(span.step) : Cell()})) {
                return;
            }
        }
    }
}

void stepRows(const Source& source, const TakeRow& take)
{
    for (const Part& part : source.parts) {
        const auto& steps = source.analysis.labels->devices[part.device].steps;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const label::Step& step = steps[i];
            if (step.last_event.value < part.firstEvent()
                || step.first_event.value >= part.endEvent()) {
                continue;
            }
            const curves::DeviceCurves& curves = source.analysis.curves->devices[part.device];
            const StateId peak =
                curves.largest({StateId::before(step.first_event), {step.last_event.value + 2}});
            if (!give(take,
                      {numberCell(deviceOf(source, part).index), numberCell(i + 1),
                       numberCell(step.first_event.value), numberCell(step.last_event.value),
                       Cell(peak.eventNumber()),
                       numberCell(curves.replay().activeAt(peak).value)})) {
                return;
            }
        }
    }
}

void oomRows(const Source& source, const TakeRow& take)
{
    for (const Part& part : source.parts) {
        const trace::Events& events = deviceOf(source, part).events;
        const replay::DeviceReplay& replay = source.analysis.replay->devices[part.device];
        for (const EventId e : replay.ooms) {
            if (e.value < part.firstEvent() || e.value >= part.endEvent()) {
                continue;
            }
            const auto free = events.deviceFree(e);
            const StateId before = StateId::before(e);
            if (!give(take,
                      {numberCell(deviceOf(source, part).index), numberCell(e.value),
                       numberCell(events.size[e.index()].value), free ? Cell(free->value) : Cell(),
                       numberCell(replay.activeAt(before).value),
                       numberCell(replay.reservedAt(before).value)})) {
                return;
            }
        }
    }
}

void segmentRows(const Source& source, const TakeRow& take)
{
    for (const Part& part : source.parts) {
        const replay::SegmentSpans& spans = source.analysis.replay->devices[part.device].segments;
        const StateId states = source.analysis.replay->devices[part.device].lastState();
        for (std::size_t i = 0; i < spans.count(); ++i) {
            if (!(spans.begin[i] < part.states.end && part.states.begin < spans.end[i])) {
                continue;
            }
            const Cell freed = spans.end[i] > states ? Cell() : Cell(spans.end[i].eventNumber());
            const Cell obtained =
                spans.begin[i].value == 0 ? Cell() : Cell(spans.begin[i].eventNumber());
            if (!give(take,
                      {numberCell(deviceOf(source, part).index), numberCell(i), obtained, freed,
                       numberCell(static_cast<std::int64_t>(spans.address[i])),
                       numberCell(spans.size[i].value),
                       numberCell(static_cast<std::int64_t>(spans.stream[i])),
                       textCell(spans.isSmallPool(i) ? "small" : "large"),
                       numberCell(spans.isExpandable(i) ? 1 : 0), idCell(spans.stack[i])})) {
                return;
            }
        }
    }
}

} // namespace

const std::vector<TableInfo>& tables()
{
    static constexpr std::string_view kInteger = "INTEGER";
    static constexpr std::string_view kText = "TEXT";
    static const std::vector<TableInfo> kTables{
        {"meta", "key", {{"key", kText}, {"value", kText}}, metaRows},
        {"devices",
         "device",
         {{"device", kInteger},
          {"kind", kText},
          {"events", kInteger},
          {"peak_event", kInteger},
          {"peak_bytes", kInteger},
          {"reserved_peak_bytes", kInteger},
          {"ooms", kInteger}},
         deviceRows},
        {"buckets",
         "device, bucket",
         {{"device", kInteger},
          {"bucket", kText},
          {"at_peak_bytes", kInteger},
          {"largest_bytes", kInteger}},
         bucketRows},
        {"allocations",
         "device, allocation",
         {{"device", kInteger},
          {"allocation", kInteger},
          {"alloc_event", kInteger},
          {"free_requested_event", kInteger},
          {"free_event", kInteger},
          {"address", kInteger},
          {"requested_bytes", kInteger},
          {"block_bytes", kInteger},
          {"stream", kInteger},
          {"stack", kInteger},
          {"bucket", kText},
          {"role", kText},
          {"confidence", kInteger},
          {"reason", kText},
          {"place", kText},
          {"user_line", kText}},
         allocationRows},
        {"events",
         "device, event",
         {{"device", kInteger},
          {"event", kInteger},
          {"action", kText},
          {"address", kInteger},
          {"bytes", kInteger},
          {"stream", kInteger},
          {"time_us", kInteger},
          {"stack", kInteger},
          {"allocation", kInteger},
          {"allocated_bytes", kInteger},
          {"reserved_bytes", kInteger}},
         eventRows},
        {"frames",
         "frame",
         {{"frame", kInteger}, {"name", kText}, {"filename", kText}, {"line", kInteger}},
         frameRows},
        {"stack_frames",
         "stack, depth",
         {{"stack", kInteger}, {"depth", kInteger}, {"frame", kInteger}},
         stackRows},
        {"phases",
         "device, first_event",
         {{"device", kInteger},
          {"first_event", kInteger},
          {"last_event", kInteger},
          {"phase", kText},
          {"step", kInteger}},
         phaseRows},
        {"steps",
         "device, step",
         {{"device", kInteger},
          {"step", kInteger},
          {"first_event", kInteger},
          {"last_event", kInteger},
          {"peak_event", kInteger},
          {"peak_bytes", kInteger}},
         stepRows},
        {"ooms",
         "device, event",
         {{"device", kInteger},
          {"event", kInteger},
          {"requested_bytes", kInteger},
          {"device_free_bytes", kInteger},
          {"allocated_bytes", kInteger},
          {"reserved_bytes", kInteger}},
         oomRows},
        {"segments",
         "device, segment",
         {{"device", kInteger},
          {"segment", kInteger},
          {"alloc_event", kInteger},
          {"free_event", kInteger},
          {"address", kInteger},
          {"bytes", kInteger},
          {"stream", kInteger},
          {"pool", kText},
          {"expandable", kInteger},
          {"stack", kInteger}},
         segmentRows},
    };
    return kTables;
}

const TableInfo* tableNamed(std::string_view name)
{
    const auto found = std::ranges::find(tables(), name, &TableInfo::name);
    return found == tables().end() ? nullptr : &*found;
}

} // namespace tidemark::exports
