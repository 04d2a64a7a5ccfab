// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/report/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tidemark::report {
namespace {

using allocator::CapacitySource;
using allocator::Simulation;
using allocator::Study;

std::string nameOf(const allocator::Settings& settings)
{
    return settings.text.empty() ? say("defaults") : settings.text;
}

std::string outcomeText(const Simulation& s)
{
    if (s.oom) {
        const std::string where =
            formatEventNumber(s.oom->event.isNone() ? -1 : std::int64_t{s.oom->event.value});
        return s.conditions.capacity ? say("out of memory at {}, short by {}", where,
                                           s.oom->needed() - *s.conditions.capacity)
                                     : say("out of memory at {}", where);
    }
    if (!s.passed.empty()) {
        return say("gets past the failed request");
    }
    return s.conditions.capacity ? say("enough memory") : say("no limit known");
}

/// Whether any of the results shown begins with a layout of its own.
bool isPlacedAnew(const Study& study)
{
    return study.recorded_anew && (!study.result.keeps_start || !study.candidates.empty());
}

Table resultTable(const Study& study)
{
    Table table;
    table.columns = {{say("settings")},
                     {say("outcome")},
                     {say("reserved peak"), Align::right},
                     {say("cached"), Align::right},
                     {say("largest free block"), Align::right}};
    const OneUnit unit(study.recorded.reserved_peak);
    for (const SimulationRow& row : simulationRows(study)) {
        const Simulation& s = *row.simulation;
        table.rows.push_back({row.settings, row.outcome, unit.cell(s.reserved_peak),
                              unit.cell(s.cached()), unit.cell(s.largest_free)});
    }
    return table;
}

std::string capacityText(const Study& study)
{
    switch (study.capacity.source) {
    case CapacitySource::given:
        return say("{} (given)", *study.capacity.bytes);
    case CapacitySource::oom_event:
        return say("{} (reserved + free at the OOM event)", *study.capacity.bytes);
    case CapacitySource::limit:
        return say("{} (noted by the capture module)", *study.capacity.bytes);
    case CapacitySource::unseen_limit:
        return say("{} (refused with more free, so a limit applied; the lower end counts)",
                   Between{*study.capacity.bytes, study.capacity.most});
    case CapacitySource::refusal:
        return say("{} (the most reserved; more was refused)", *study.capacity.bytes);
    case CapacitySource::unknown:
        break;
    }
    return say("unknown; set --capacity");
}

Rows factsOf(const Study& study)
{
    Rows rows{{say("Capacity"), capacityText(study)},
              {say("Ideal packing"),
               fmt::format("{} ({})", formatBytes(study.ideal.bytes),
                           formatEventNumber(study.ideal.state.eventNumber()))}};
    if (study.recorded.oom) {
        rows.push_back(
            {say("Needed to continue"),
             say("{} reserved, under the recorded settings", study.recorded.oom->needed())});
    }
    return rows;
}

Section deviceSection(const diagnose::Analysis& analysis, const SimulatedDevice& of)
{
    const Study& study = of.study;
    Section section;
    section.title = deviceName(analysis.snapshot->devices[of.device]);
    section.blocks.emplace_back(Paragraph{simulationVerdict(study), Emphasis::lead});
    section.blocks.emplace_back(Paragraph{baselineSentence(study.baseline)});
    section.blocks.emplace_back(factTable(factsOf(study)));
    section.blocks.emplace_back(resultTable(study));
    section.blocks.emplace_back(Bullets{simulationLimits(analysis, of)});
    return section;
}

/// The outcome of the settings asked for, else of the best candidate.
const Simulation& bestOf(const Study& study)
{
    return study.candidates.empty() ? study.result : study.candidates.front();
}

} // namespace

std::vector<SimulationRow> simulationRows(const Study& study)
{
    std::vector<SimulationRow> rows;
    const auto add = [&](const std::string& name, const Simulation& s) {
        rows.push_back({name, outcomeText(s), &s});
    };
    const std::string recorded = nameOf(study.baseline.settings);
    add(say("{} (recorded)", recorded), study.recorded);
    if (isPlacedAnew(study)) {
        add(say("{} (recorded, initial blocks re-placed)", recorded), *study.recorded_anew);
    }
    const allocator::Settings& asked = study.result.conditions.settings;
    if (!placeAlike(asked, study.baseline.settings)) {
        add(nameOf(asked), study.result);
    }
    for (const Simulation& candidate : study.candidates) {
        const allocator::Settings& settings = candidate.conditions.settings;
        if (!placeAlike(settings, study.baseline.settings) && !placeAlike(settings, asked)) {
            add(nameOf(settings), candidate);
        }
    }
    return rows;
}

std::string baselineSentence(const allocator::Baseline& b)
{
    if (b.agrees()) {
        return say("The replay reproduces all {} recorded addresses, all {} segment events and the "
                   "final blocks.",
                   formatCount(b.addresses_checked), formatCount(b.segments_checked));
    }
    const std::string addresses = formatCount(b.addresses_equal);
    const std::string all_addresses = formatCount(b.addresses_checked);
    const std::string segments = formatCount(b.segments_equal);
    const std::string all_segments = formatCount(b.segments_checked);
    std::string text = b.first_divergence
        ? say("The replay reproduces {} of {} recorded addresses, {} of {} segment events, and "
              "reserved memory within {}; it first differs at {}.",
              addresses, all_addresses, segments, all_segments, b.reserved_gap,
              formatEventNumber(b.first_divergence->value))
        : say("The replay reproduces {} of {} recorded addresses, {} of {} segment events, and "
              "reserved memory within {}.",
              addresses, all_addresses, segments, all_segments, b.reserved_gap);
    return b.isTrusted() ? text : text + ' ' + say("The figures below are rough.");
}

std::string simulationVerdict(const Study& study)
{
    if (study.baseline.states_checked == 0) {
        return say("The trace has no requests: nothing to replay.");
    }
    const Simulation& best = bestOf(study);
    const std::string name = nameOf(best.conditions.settings);
    if (study.exceedsIdeal()) {
        return say("Allocator settings cannot help: even perfectly packed, the memory in use is {} "
                   "more than this process could get.",
                   study.ideal.bytes - *study.capacity.bytes);
    }
    if (study.recorded.oom && study.reference().fits() && isPlacedAnew(study)) {
        return say("The trace begins too late to tell: with its first blocks re-placed, even the "
                   "recorded settings suffice.");
    }
    if (study.candidates.empty() && placeAlike(best.conditions.settings, study.baseline.settings)) {
        return best.oom ? say("With the recorded settings: {}.", outcomeText(best))
            : best.passed.empty()
            ? say("With the recorded settings the run has enough memory.")
            : say("With the recorded settings the run gets past the failed request.");
    }
    if (study.reference().fits()) {
        const Bytes less = study.reference().reserved_peak - best.reserved_peak;
        if (!study.reference().passed.empty()) { // What it would have requested next is not known.
            return less > Bytes{}
                ? say("The recorded settings get past the failed request; {} would reserve {} less "
                      "at the peak.",
                      name, less)
                : say("The recorded settings get past the failed request, and none of those tried "
                      "would reserve less.");
        }
        return less > Bytes{}
            ? say("The recorded settings suffice; {} would reserve {} less at the peak.", name,
                  less)
            : study.candidates.empty()
            ? say("The recorded settings suffice, and {} would not reserve less.", name)
            : say("The recorded settings suffice, and none of those tried would reserve less.");
    }
    if (best.fits()) {
        return best.passed.empty() ? say("With {} the run does not run out of memory.", name)
                                   : say("With {} the run gets past the failed request.", name);
    }
    return study.candidates.empty()
        ? fmt::format("{}: {}.", name, outcomeText(best))
        : say("No setting tried helps; {}: {}.", name, outcomeText(best));
}

std::vector<std::string> simulationLimits(const diagnose::Analysis& analysis,
                                          const SimulatedDevice& simulated)
{
    const Study& study = simulated.study;
    const replay::DeviceReplay& replay = analysis.replay->devices[simulated.device];
    std::vector<std::string> limits{
        say("Assumes the same requests, however much memory is left."),
        say("Assumes the memory of other processes and of CUDA stays the same.")};
    const allocator::Settings& asked = study.result.conditions.settings;
    if (asked.expandable_segments && asked.max_split != allocator::Settings::kUnlimited) {
        limits.push_back(allocator::splitLimitClash(Bytes{asked.max_split}));
    }
    if (isPlacedAnew(study)) {
        limits.push_back(
            say("The trace begins with {} live allocations. Other settings would have placed them "
                "elsewhere: they are re-placed in address order, without the cache of that time.",
                formatCount(study.live_at_start)));
    }
    if (study.late_frees > 0) {
        limits.push_back(say("{} frees waited for another stream; they are assumed to complete at "
                             "the recorded events.",
                             formatCount(study.late_frees)));
    }
    if (!replay.ooms.empty()) {
        limits.emplace_back(
            say("What the run would have requested after the failed request is not recorded."));
    }
    if (replay.hasPrivatePools()) {
        limits.emplace_back(
            say("Private pools keep their memory until the recorded run freed it."));
    }
    const auto& streams = analysis.snapshot->devices[simulated.device].events.stream;
    if (std::set<std::uint64_t>(streams.begin(), streams.end()).size() > 1) {
        limits.emplace_back(say("Use of a block by other streams is not recorded."));
    }
    return limits;
}

Document simulationDocument(const diagnose::Analysis& analysis,
                            std::span<const SimulatedDevice> simulated)
{
    Document document;
    document.title = say("Allocator settings: {}", analysis.file.filename().string());
    for (const SimulatedDevice& of : simulated) {
        document.sections.push_back(deviceSection(analysis, of));
    }
    return document;
}

} // namespace tidemark::report
