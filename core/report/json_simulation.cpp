// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/json_parts.h"
#include "core/report/simulation.h"

namespace tidemark::report {
namespace {

using allocator::Simulation;
using allocator::Study;

Json eventJson(EventId e)
{
    return e.isNone() ? Json(-1) : Json(e.value);
}

Json shortageJson(const Simulation& simulation)
{
    if (!simulation.oom) {
        return nullptr;
    }
    const allocator::Shortage& oom = *simulation.oom;
    const std::optional<Bytes>& capacity = simulation.conditions.capacity;
    return {{"event", eventJson(oom.event)},
            {"requested_bytes", oom.rounded.value},
            {"reserved_bytes", oom.reserved.value},
            {"needed_bytes", oom.needed().value},
            {"short_by_bytes", capacity ? Json((oom.needed() - *capacity).value) : Json(nullptr)}};
}

Json resultJson(const Simulation& s)
{
    Json passed = Json::array();
    for (const allocator::PassedRequest& request : s.passed) {
        passed.push_back(eventJson(request.event));
    }
    Json json = {{"settings", s.conditions.settings.text},
                 {"reserved_peak_bytes", s.reserved_peak.value},
                 {"reserved_peak_event", s.reserved_peak_state.eventNumber()},
                 {"cached_at_peak_bytes", s.cached_at_peak.value},
                 {"cached_bytes", s.cached().value},
                 {"cached_peak_bytes", s.cached_peak.value},
                 {"oom", shortageJson(s)},
                 {"passed_ooms", std::move(passed)},
                 {"largest_free_block_bytes", s.largest_free.value},
                 {"capacity_bytes", orNull(s.conditions.capacity)},
                 {"complete", s.is_complete},
                 {"keeps_start", s.keeps_start},
                 {"driver_calls", s.counts.segments_obtained},
                 {"retries", s.counts.retries}};
    if (!s.curve.empty()) {
        Json points = Json::array();
        for (const allocator::CurvePoint& point : s.curve) {
            points.push_back({{"event", point.state.eventNumber()},
                              {"reserved_bytes", point.reserved.value},
                              {"block_bytes", point.active.value},
                              {"largest_free_block_bytes", point.largest_free.value}});
        }
        json["points"] = std::move(points);
    }
    return json;
}

Json baselineJson(const Study& study)
{
    const allocator::Baseline& b = study.baseline;
    return {
        {"settings", b.settings.text},
        {"addresses_checked", b.addresses_checked},
        {"addresses_equal", b.addresses_equal},
        {"reserved_peak_bytes", b.reserved_peak.value},
        {"segments_equal", b.segmentsAgree()},
        {"first_divergence", b.first_divergence ? eventJson(*b.first_divergence) : Json(nullptr)},
        {"segment_events", b.segments_checked},
        {"segment_events_equal", b.segments_equal},
        {"states_checked", b.states_checked},
        {"states_reserved_equal", b.reserved_equal},
        {"reserved_gap_bytes", b.reserved_gap.value},
        {"layout_equal", b.layout_equal},
        {"block_sizes_exact", b.agrees()},
        {"trusted", study.baseline.isTrusted()}};
}

} // namespace

Json simulationsJson(const diagnose::Analysis& analysis, std::span<const SimulatedDevice> simulated)
{
    Json devices = Json::array();
    for (const SimulatedDevice& of : simulated) {
        const Study& study = of.study;
        Json candidates = Json::array();
        for (const Simulation& candidate : study.candidates) {
            candidates.push_back(resultJson(candidate));
        }
        devices.push_back({{"device", analysis.snapshot->devices[of.device].index},
                           {"baseline", baselineJson(study)},
                           {"result", resultJson(study.result)},
                           {"recorded", resultJson(study.recorded)},
                           {"recorded_anew",
                            study.recorded_anew ? resultJson(*study.recorded_anew) : Json(nullptr)},
                           {"candidates", std::move(candidates)},
                           {"ideal_peak_bytes", study.ideal.bytes.value},
                           {"ideal_peak_event", study.ideal.state.eventNumber()},
                           {"capacity_bytes", orNull(study.capacity.bytes)},
                           {"capacity_most_bytes",
                            study.capacity.bytes ? Json(study.capacity.most.value) : Json(nullptr)},
                           {"capacity_source", allocator::capacitySourceId(study.capacity.source)},
                           {"verdict", simulationVerdict(study)},
                           {"limits", simulationLimits(analysis, of)}});
    }
    return {{"file", fileJson(analysis)}, {"devices", std::move(devices)}};
}

} // namespace tidemark::report
