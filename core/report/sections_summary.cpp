// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/base/short_text.h"
#include "core/diagnose/diagnosis.h"
#include "core/replay/block_sizes.h"
#include "core/replay/peaks.h"
#include "core/report/capture_facts.h"
#include "core/report/colours.h"
#include "core/report/sections.h"
#include "core/report/summary_facts.h"
#include "core/report/svg_timeline.h"
#include "core/report/torch_version.h"
#include "core/trace/cut_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

std::string formatText(const trace::Snapshot& snapshot)
{
    return snapshot.format.protocol >= 0
        ? say("{}, protocol {}, read by {}", snapshot.format.route, snapshot.format.protocol,
              snapshot.format.reader)
        : say("{}, read by {}", snapshot.format.route, snapshot.format.reader);
}

std::string settingsText(const trace::AllocatorSettings& settings)
{
    if (!settings.present) {
        return say("not in the file");
    }
    std::string text = settings.conf.empty() ? say("defaults") : shownName(settings.conf);
    if (settings.expandable_segments) {
        text = *settings.expandable_segments ? say("{}; expandable segments on", text)
                                             : say("{}; expandable segments off", text);
    }
    return text;
}

std::string devicesText(const trace::Snapshot& snapshot)
{
    std::string used;
    std::string empty;
    for (const trace::Device& device : snapshot.devices) {
        std::string& list = device.isEmpty() ? empty : used;
        list.append(list.empty() ? "" : ", ").append(deviceName(device));
    }
    if (used.empty()) {
        return empty.empty() ? say("none") : say("{}: nothing recorded", empty);
    }
    return empty.empty() ? used : say("{}; nothing recorded on {}", used, empty);
}

std::string durationText(const trace::Device& device)
{
    const auto& times = device.events.time;
    return times.size() < 2 ? std::string() : formatDuration(times.back() - times.front());
}

std::string eventsText(const trace::Snapshot& snapshot, const trace::Device& device)
{
    std::string text = formatCount(static_cast<std::int64_t>(device.events.count()));
    std::string_view separator = ": ";
    const auto counts = actionCounts(snapshot, device);
    static constexpr std::size_t kMost = trace::kActionNames.size() + 8; // a few unknown ones, too
    for (const auto& [name, count] : std::span(counts).first(std::min(counts.size(), kMost))) {
        text.append(separator).append(formatCount(count)).append(" ").append(shownName(name));
        separator = ", ";
    }
    return counts.size() <= kMost
        ? text
        : say("{} and {} more", text,
              formatCount(static_cast<std::int64_t>(counts.size() - kMost)));
}

std::string blockPeakText(const OneUnit& unit, const replay::BlockPeak& blocks,
                          const Analysis& analysis, std::size_t d)
{
    const std::string bytes =
        blocks.isExact() ? unit(blocks.lower) : formatInterval(blocks.lower, blocks.upper);
    return say("{} at {}", bytes, momentText(analysis, d, blocks.state));
}

std::string peakText(const OneUnit& unit, const replay::Peak& peak, const Analysis& analysis,
                     std::size_t d)
{
    return say("{} at {}", unit({peak.bytes}), momentText(analysis, d, peak.state));
}

/// Pinned blocks are powers of two, and one that is free serves smaller requests, too.
std::string roundingText(const Analysis& analysis, std::size_t d)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[d];
    const replay::BlockTotals totals = replay::blockTotals(replay, (*analysis.block_sizes)[d]);
    const std::size_t peak = replay.peak.index();
    const std::int64_t lower = totals.lower[peak] - replay.active[peak];
    const std::int64_t upper = totals.upper[peak] - replay.active[peak];
    return lower == upper ? formatBytes({lower}) : formatInterval(Bytes{lower}, Bytes{upper});
}

/// The peak in each of the measures, and those next in height.
void addPeaks(const Analysis& analysis, std::size_t d, Detail detail, Rows& rows)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[d];
    const std::vector<replay::Peak> peaks =
        replay::highestPeaks(replay.active, detail == Detail::all ? 3 : 1);
    const replay::Peak most_reserved = replay::highestPeaks(replay.reserved, 1).front();
    const OneUnit unit(Bytes{most_reserved.bytes});
    rows.push_back({say("Peak"), peakText(unit, peaks.front(), analysis, d)});
    for (std::size_t i = 1; i < peaks.size(); ++i) {
        rows.push_back({i == 1 ? say("Second peak") : say("Third peak"),
                        peakText(unit, peaks[i], analysis, d)});
    }
    if (detail == Detail::all) {
        rows.push_back(
            {say("Peak in block sizes"),
             blockPeakText(unit, replay::peakOfBlocks(replay, (*analysis.block_sizes)[d]), analysis,
                           d)});
    }
    if (analysis.snapshot->devices[d].kind == trace::DeviceKind::host) {
        rows.push_back({say("Lost to rounding at the peak"), roundingText(analysis, d)});
    }
    rows.push_back({say("Peak reserved"), peakText(unit, most_reserved, analysis, d)});
    if (detail == Detail::all) {
        rows.push_back({say("Reserved at the peak"), unit(replay.reservedAt(replay.peak))});
    }
    if (replay.hasPrivatePools()) {
        const std::size_t peak = replay.peak.index();
        rows.push_back({say("Private pools at the peak"),
                        say("{} requested, {} reserved", Bytes{replay.private_active[peak]},
                            Bytes{replay.private_reserved[peak]})});
    }
}

void addOoms(const Analysis& analysis, std::size_t d, Rows& rows)
{
    static constexpr std::size_t kShown = 5;
    const replay::DeviceReplay& replay = analysis.replay->devices[d];
    const trace::Events& events = analysis.snapshot->devices[d].events;
    const std::size_t hidden = replay.ooms.size() - std::min(kShown, replay.ooms.size());
    if (hidden > 0) {
        rows.push_back({say("Out of memory"), say("{} earlier events", hidden)});
    }
    for (std::size_t i = hidden; i < replay.ooms.size(); ++i) {
        const EventId oom = replay.ooms[i];
        const StateId before = StateId::before(oom);
        rows.push_back(
            {say("Out of memory"),
             say("{}: {} requested, {} free on the GPU, {} active, {} reserved",
                 momentText(analysis, d, StateId::after(oom)), events.size[oom.index()],
                 events.deviceFree(oom), replay.activeAt(before), replay.reservedAt(before))});
    }
}

Rows fileFacts(const Analysis& analysis)
{
    const trace::Snapshot& snapshot = *analysis.snapshot;
    Rows rows{{say("File"), analysis.file.filename().string()},
              {say("Size"), formatBytes({static_cast<std::int64_t>(snapshot.file_bytes)})},
              {say("Format"), formatText(snapshot)},
              {say("Written by"), torchText(snapshot)},
              {say("Devices"), devicesText(snapshot)},
              {say("Allocator settings"), settingsText(snapshot.settings)}};
    if (snapshot.capture) {
        for (const auto& [name, value] : captureFacts(*snapshot.capture)) {
            rows.push_back({say("Capture, {}", name), value});
        }
    }
    return rows;
}

} // namespace

Section fileSection(const Analysis& analysis)
{
    Section section{say("File"), {}};
    if (std::string broken = trace::brokenCopyWords(*analysis.snapshot); !broken.empty()) {
        section.blocks.emplace_back(Paragraph{std::move(broken), Emphasis::lead});
    }
    section.blocks.emplace_back(factTable(fileFacts(analysis)));
    return section;
}

Section filesSection(const Analysis& a, const Analysis& b,
                     const std::array<std::string, 2>& letters)
{
    Section section{say("Files"), {}};
    Rows rows = fileFacts(a);
    for (std::vector<std::string>& row : rows) {
        row.emplace_back();
    }
    for (const std::vector<std::string>& fact : fileFacts(b)) {
        const auto same =
            std::ranges::find(rows, fact.front(), [](const auto& row) { return row.front(); });
        if (same == rows.end()) {
            rows.push_back({fact[0], "", fact[1]});
        } else {
            same->back() = fact[1];
        }
    }
    const std::array<const Analysis*, 2> runs{&a, &b};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (std::string broken = trace::brokenCopyWords(*runs[i]->snapshot); !broken.empty()) {
            section.blocks.emplace_back(Paragraph{std::move(broken), Emphasis::none, letters[i]});
        }
    }
    section.blocks.emplace_back(
        Table{{{"", Align::left}, {letters[0], Align::left}, {letters[1], Align::left}},
              std::move(rows),
              {}});
    return section;
}

Section deviceSection(const Analysis& analysis, std::size_t d, Detail detail)
{
    const trace::Device& device = analysis.snapshot->devices[d];
    const replay::DeviceReplay& replay = analysis.replay->devices[d];
    const label::DeviceLabels& labels = analysis.labels->devices[d];
    Rows rows{{say("Events"), eventsText(*analysis.snapshot, device)}};
    if (const std::string duration = durationText(device); !duration.empty()) {
        rows.push_back({say("Recorded"), duration});
    }
    rows.push_back(
        {say("Allocations"), formatCount(static_cast<std::int64_t>(replay.allocations.count()))});
    rows.push_back({say("Requested at the start"), formatBytes({replay.active.front()})});
    addPeaks(analysis, d, detail, rows);
    rows.push_back({say("Requested at the end"), formatBytes({replay.active.back()})});
    rows.push_back({say("Reserved at the end"),
                    say("{} in {} segments", Bytes{replay.reserved.back()},
                        formatCount(static_cast<std::int64_t>(device.segments.size())))});
    rows.push_back(
        {say("Steps seen"), formatCount(static_cast<std::int64_t>(labels.steps.size()))});
    addOoms(analysis, d, rows);
    if (replay.violations > 0 || !replay.end_matches_segments) {
        rows.push_back(
            {say("Consistency"),
             replay.end_matches_segments
                 ? sayCounted(replay.violations,
                              "trace and segments disagree in {} place; the trace's end matches "
                              "the segments",
                              "trace and segments disagree in {} places; the trace's end matches "
                              "the segments",
                              formatCount(replay.violations))
                 : sayCounted(replay.violations,
                              "trace and segments disagree in {} place; the trace's end does not "
                              "match the segments",
                              "trace and segments disagree in {} places; the trace's end does not "
                              "match the segments",
                              formatCount(replay.violations))});
    }
    return {deviceName(device), {factTable(std::move(rows))}};
}

Section devicesSection(const Analysis& analysis, std::size_t main)
{
    const diagnose::DetailedDevices devices = diagnose::detailedDevices(analysis);
    if (devices.shown.size() < 2) {
        return {say("All devices"), {}};
    }
    Table table{{{say("Device"), Align::left},
                 {say("Events"), Align::right},
                 {say("Peak requested"), Align::right},
                 {say("Most reserved"), Align::right},
                 {say("At the end"), Align::right},
                 {say("OOM events"), Align::right}},
                {},
                {}};
    Bullets verdicts;
    for (const std::size_t d : devices.shown) {
        const trace::Device& device = analysis.snapshot->devices[d];
        const replay::DeviceReplay& replay = analysis.replay->devices[d];
        table.rows.push_back({deviceName(device),
                              formatCount(static_cast<std::int64_t>(device.events.count())),
                              formatBytes(replay.activeAt(replay.peak)),
                              formatBytes({std::ranges::max(replay.reserved)}),
                              formatBytes(replay.activeAt(replay.lastState())),
                              formatCount(static_cast<std::int64_t>(replay.ooms.size()))});
        const std::string& headline = analysis.diagnosis->devices[d].headline;
        if (d != main && !headline.empty()) {
            verdicts.items.push_back(fmt::format("{}: {}", deviceName(device), headline));
        }
    }
    Section section{say("All devices"),
                    {Paragraph{say("This report shows {} in full.",
                                   deviceName(analysis.snapshot->devices[main])),
                               Emphasis::quiet},
                     std::move(table)}};
    if (devices.left_out > 0) {
        section.blocks.emplace_back(Paragraph{leftOutText(devices), Emphasis::quiet});
    }
    if (!verdicts.items.empty()) {
        section.blocks.emplace_back(std::move(verdicts));
    }
    return section;
}

Section glossarySection()
{
    return {say("How to read the figures"),
            {factTable({{say("Active"), say("Requested and not yet freed.")},
                        {say("Reserved"), say("PyTorch's segments; nvidia-smi shows more.")},
                        {say("Cached"), say("Reserved minus active; includes rounding.")},
                        {say("Need"), say("Active + failed request + still to come.")},
                        {say("Needs"), say("Need plus what the allocator keeps.")},
                        {say("Capacity"), say("What this process could have had.")},
                        {say("Order"), say("1 costs least in speed, work and results.")},
                        {"GiB", "1 GiB = 1024 MiB = " + formatExactBytes(kGiB)}})}};
}

Section notesSection(const Analysis& analysis)
{
    Bullets bullets;
    const trace::InputNotes notes = allNotes(analysis);
    for (const trace::InputNote& note : notes.all()) {
        bullets.items.push_back(note.count == 1 ? fmt::format("{} [{}]", note.text, note.code)
                                                : say("{} [{}, {} times]", note.text, note.code,
                                                      formatCount(note.count)));
    }
    if (bullets.items.empty()) {
        return {say("Input notes"), {}};
    }
    return {say("Input notes"), {std::move(bullets)}};
}

} // namespace tidemark::report
