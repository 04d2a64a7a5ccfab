// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/rank_summary.h"
#include "core/job/summary_json.h"
#include "core/replay/peaks.h"
#include "core/report/corrections_report.h"
#include "core/report/json.h"
#include "core/report/json_parts.h"
#include "core/report/summary_facts.h"
#include "core/report/timeline_points.h"
#include "core/report/torch_version.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

/// What is set apart inside private pools at the peak; null where there is none.
Json privatePoolsJson(const replay::DeviceReplay& replay)
{
    if (!replay.hasPrivatePools()) {
        return nullptr;
    }
    const std::size_t peak = replay.peak.index();
    return {{"requested_bytes", replay.private_active[peak]},
            {"reserved_bytes", replay.private_reserved[peak]}};
}

Json peakJson(const Analysis& analysis, const label::Details& details, std::size_t d)
{
    const trace::Device& device = analysis.snapshot->devices[d];
    const replay::DeviceReplay& replay = analysis.replay->devices[d];
    const replay::BlockPeak blocks = replay::peakOfBlocks(replay, (*analysis.block_sizes)[d]);
    Json json = {{"event", replay.peak.eventNumber()},
                 {"time_us", timeJson(device, replay.peak)},
                 {"requested_bytes", replay.activeAt(replay.peak).value},
                 {"block_bytes", blocks.lower.value},
                 {"block_bytes_exact", blocks.isExact()}};
    if (!blocks.isExact()) {
        json["block_bytes_low"] = blocks.lower.value;
        json["block_bytes_high"] = blocks.upper.value;
    }
    json["reserved_bytes"] = replay.reservedAt(replay.peak).value;
    json["private_pools"] = privatePoolsJson(replay);
    json["buckets"] = bucketsJson(analysis.curves->devices[d].at(replay.peak));
    json["modules"] = modulesJson(analysis, details, d, replay.peak);
    return json;
}

/// The phase and the step of an event, also as its program counts; null where it has none.
void addPlace(Json& json, const label::PhaseSpan* span, const label::StepNumbers& steps)
{
    json["phase"] = span == nullptr ? Json(nullptr) : Json(label::phaseId(span->phase));
    json["step"] = span == nullptr ? Json(nullptr) : Json(span->step);
    json["stated_step"] = span == nullptr ? Json(nullptr) : Json(steps.of(span->step));
}

Json oomsJson(const Analysis& analysis, std::size_t d, const label::StepNumbers& steps)
{
    const trace::Device& device = analysis.snapshot->devices[d];
    const replay::DeviceReplay& replay = analysis.replay->devices[d];
    const label::DeviceLabels& labels = analysis.labels->devices[d];
    std::vector<StateId> states;
    std::ranges::transform(replay.ooms, std::back_inserter(states), &StateId::before);
    const std::vector<replay::Fragmentation> fragmentation = fragmentationAt(analysis, d, states);
    Json json = Json::array();
    for (std::size_t i = 0; i < states.size(); ++i) {
        const EventId oom = replay.ooms[i];
        const StateId before = states[i];
        const label::PhaseSpan* const span = labels.phaseAt(oom);
        const replay::Fragmentation& holes = fragmentation[i];
        Json row = {{"event", oom.value},
                    {"time_us", timeJson(device, StateId::after(oom))},
                    {"requested_bytes", device.events.size[oom.index()].value},
                    {"device_free_bytes", orNull(device.events.deviceFree(oom))},
                    {"requested_total_bytes", replay.activeAt(before).value},
                    {"reserved_bytes", replay.reservedAt(before).value}};
        addPlace(row, span, steps);
        row["largest_free_bytes"] = holes.largest_hole.value;
        row["fragmentation"] = holes.shareOf(replay.reservedAt(before));
        row["buckets"] = bucketsJson(analysis.curves->devices[d].at(before));
        json.push_back(std::move(row));
    }
    return json;
}

Json oneMeasureJson(const Analysis& analysis, std::size_t d, const std::vector<replay::Peak>& peaks,
                    const label::StepNumbers& steps)
{
    const trace::Device& device = analysis.snapshot->devices[d];
    const label::DeviceLabels& labels = analysis.labels->devices[d];
    Json json = Json::array();
    for (const replay::Peak& peak : peaks) {
        const bool is_start = peak.state == StateId::start();
        const label::PhaseSpan* const span =
            is_start ? nullptr : labels.phaseAt(EventId(peak.state.value - 1));
        Json row = {{"event", peak.state.eventNumber()},
                    {"time_us", timeJson(device, peak.state)},
                    {"bytes", peak.bytes}};
        addPlace(row, span, steps);
        json.push_back(std::move(row));
    }
    return json;
}

/// The highest peaks of each measure.
Json peaksJson(const Analysis& analysis, std::size_t d, const replay::BlockTotals& block_totals,
               const label::StepNumbers& steps)
{
    constexpr std::size_t kShown = 3;
    const replay::MeasuredPeaks peaks =
        replay::highestPeaks(analysis.replay->devices[d], block_totals, kShown);
    Json blocks = oneMeasureJson(analysis, d, peaks.blocks_lower, steps);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        blocks[i]["bytes_high"] = peaks.blocks_upper[i];
    }
    return {{"requested", oneMeasureJson(analysis, d, peaks.requested, steps)},
            {"block", std::move(blocks)},
            {"reserved", oneMeasureJson(analysis, d, peaks.reserved, steps)}};
}

Json stepsJson(const Analysis& analysis, std::size_t d, const replay::BlockTotals& block_totals,
               const label::StepNumbers& numbers)
{
    const label::DeviceLabels& labels = analysis.labels->devices[d];
    std::vector<Interval<StateId>> stretches;
    for (const label::Step& step : labels.steps) {
        stretches.push_back(
            {StateId::before(step.first_event), {StateId::after(step.last_event).value + 1}});
    }
    const replay::MeasuredPeaks peaks =
        replay::peaksIn(analysis.replay->devices[d], block_totals, stretches);
    Json json = Json::array();
    for (std::size_t i = 0; i < stretches.size(); ++i) {
        json.push_back({{"number", numbers.of(static_cast<std::uint32_t>(i) + 1)},
                        {"first_event", labels.steps[i].first_event.value},
                        {"last_event", labels.steps[i].last_event.value},
                        {"peak_event", peaks.requested[i].state.eventNumber()},
                        {"peak_requested_bytes", peaks.requested[i].bytes},
                        {"peak_block_bytes", peaks.blocks_lower[i].bytes},
                        {"peak_block_bytes_high", peaks.blocks_upper[i]},
                        {"peak_reserved_bytes", peaks.reserved[i].bytes}});
    }
    return json;
}

Json phasesJson(const label::DeviceLabels& labels, const label::StepNumbers& steps)
{
    Json json = Json::array();
    for (const label::PhaseSpan& span : labels.phases) {
        json.push_back({{"first_event", span.first.value},
                        {"phase", label::phaseId(span.phase)},
                        {"step", span.step},
                        {"stated_step", steps.of(span.step)}});
    }
    return json;
}

Json deviceJson(const Analysis& analysis, const label::Details& details, std::size_t d)
{
    const trace::Device& device = analysis.snapshot->devices[d];
    const replay::DeviceReplay& replay = analysis.replay->devices[d];
    const label::DeviceLabels& labels = analysis.labels->devices[d];
    const replay::BlockTotals block_totals =
        replay::blockTotals(replay, (*analysis.block_sizes)[d]);
    const label::StepNumbers& steps = labels.numbers;
    Json::object_t actions;
    for (const auto& [name, count] : actionCounts(*analysis.snapshot, device)) {
        // No name comes twice; to look for each among those before it would take n² comparisons.
        actions.emplace_back(name, count);
    }
    return {{"device", device.index},
            {"kind", device.kind == trace::DeviceKind::host ? "host" : "gpu"},
            {"events", device.events.count()},
            {"actions", std::move(actions)},
            {"segments", device.segments.size()},
            {"blocks", device.blocks.size()},
            {"allocations", replay.allocations.count()},
            {"start_requested_bytes", replay.active.front()},
            {"end_requested_bytes", replay.active.back()},
            {"reserved_end_bytes", replay.reserved.back()},
            {"peak", peakJson(analysis, details, d)},
            {"peaks", peaksJson(analysis, d, block_totals, steps)},
            {"ooms", oomsJson(analysis, d, steps)},
            {"steps", stepsJson(analysis, d, block_totals, steps)},
            {"phases", phasesJson(labels, steps)},
            {"phase_peaks", phasePeaksJson(analysis, d, block_totals)},
            {"growth", growthJson(analysis, details, d)},
            {"consistency",
             {{"violations", replay.violations},
              {"end_matches_segments", replay.end_matches_segments},
              {"block_size_contradictions", (*analysis.block_sizes)[d].contradictions}}}};
}

/// Adds to each device what puts the ranks of a job together.
void addForRanks(Json& devices, const Analysis& analysis)
{
    // Names say more where the files of all ranks are known, so they are read there.
    for (const job::RankSummary& row : job::summarize(analysis)) {
        for (Json& device : devices) {
            if (device["device"] == row.device && device["kind"] == "gpu") {
                device["for_ranks"] = job::toJson(row);
            }
        }
    }
}

Json settingsJson(const trace::AllocatorSettings& settings)
{
    if (!settings.present) {
        return nullptr;
    }
    return {{"conf", settings.conf},
            {"expandable_segments", orNull(settings.expandable_segments)},
            {"max_split_size_bytes", orNull(settings.max_split_size_bytes)},
            {"garbage_collection_threshold", orNull(settings.garbage_collection_threshold)}};
}

} // namespace

Json summaryJson(const Analysis& analysis)
{
    return summaryJson(analysis,
                       label::findDetails(*analysis.snapshot, *analysis.replay, *analysis.labels,
                                          analysis.programs.get()));
}

Json summaryJson(const Analysis& analysis, const label::Details& details)
{
    const trace::Snapshot& snapshot = *analysis.snapshot;
    Json devices = Json::array();
    for (std::size_t d = 0; d < analysis.deviceCount(); ++d) {
        devices.push_back(deviceJson(analysis, details, d));
    }
    addForRanks(devices, analysis);
    const trace::InputNotes input_notes = allNotes(analysis);
    Json notes = Json::array();
    for (const trace::InputNote& note : input_notes.all()) {
        notes.push_back({{"code", note.code}, {"count", note.count}, {"text", note.text}});
    }
    const bool has_devices = analysis.deviceCount() > 0;
    const Json main_device =
        has_devices ? Json(snapshot.devices[analysis.mainDevice()].index) : Json(nullptr);
    const std::string_view oldest = oldestTorch(snapshot);
    const std::string version = snapshot.capture ? snapshot.capture->torch : std::string();
    Json json = {{"file", fileJson(analysis)},
                 {"format",
                  {{"route", snapshot.format.route},
                   {"protocol", snapshot.format.protocol},
                   {"reader", snapshot.format.reader}}},
                 {"file_bytes", snapshot.file_bytes},
                 {"main_device", main_device},
                 {"allocator_settings", settingsJson(snapshot.settings)},
                 {"torch",
                  {{"version", version.empty() ? Json(nullptr) : Json(version)},
                   {"at_least", oldest.empty() ? Json(nullptr) : Json(oldest)}}},
                 {"capture", captureJson(snapshot.capture)},
                 {"devices", std::move(devices)},
                 {"notes", std::move(notes)}};
    return withCorrections(std::move(json), analysis);
}

Json summaryForRanksJson(const Analysis& analysis)
{
    Json devices = Json::array();
    for (std::size_t d = 0; d < analysis.deviceCount(); ++d) {
        const trace::Device& device = analysis.snapshot->devices[d];
        const replay::DeviceReplay& replay = analysis.replay->devices[d];
        if (!device.isEmpty()) {
            devices.push_back({{"device", device.index},
                               {"kind", device.kind == trace::DeviceKind::host ? "host" : "gpu"},
                               {"events", device.events.count()},
                               {"peak",
                                {{"event", replay.peak.eventNumber()},
                                 {"time_us", timeJson(device, replay.peak)},
                                 {"requested_bytes", replay.activeAt(replay.peak).value}}}});
        }
    }
    addForRanks(devices, analysis);
    const trace::Format& format = analysis.snapshot->format;
    return {{"file", fileJson(analysis)},
            {"format",
             {{"route", format.route}, {"protocol", format.protocol}, {"reader", format.reader}}},
            {"devices", std::move(devices)}};
}

} // namespace tidemark::report
