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
                                           formatBytes(s.oom->needed() - *s.conditions.capacity))
                                     : say("out of memory at {}", where);
    }
    if (!s.passed.empty()) {
        return say("gets past the request that failed");
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
                     {say("of it cached"), Align::right},
                     {say("largest free block"), Align::right}};
    for (const SimulationRow& row : simulationRows(study)) {
        const Simulation& s = *row.simulation;
        table.rows.push_back({row.settings, row.outcome, formatBytes(s.reserved_peak),
                              formatBytes(s.cached_at_peak), formatBytes(s.largest_free)});
    }
    return table;
}

std::string capacityText(const Study& study)
{
    switch (study.capacity.source) {
    case CapacitySource::given:
        return say("{} (given)", formatBytes(*study.capacity.bytes));
    case CapacitySource::oom_event:
        return say("{} (reserved + free at the OOM event)", formatBytes(*study.capacity.bytes));
    case CapacitySource::limit:
        return say("{} (noted by the capture module)", formatBytes(*study.capacity.bytes));
    case CapacitySource::unseen_limit:
        return say("{} (refused with more free, so by a limit; the lower end counts)",
                   formatBytes(*study.capacity.bytes, study.capacity.most));
    case CapacitySource::refusal:
        return say("{} (the most reserved; more was refused)", formatBytes(*study.capacity.bytes));
    case CapacitySource::unknown:
        break;
    }
    return say("not known; --capacity says it");
}

Rows factsOf(const Study& study)
{
    Rows rows{{say("Capacity"), capacityText(study)},
              {say("Ideal packing"),
               fmt::format("{} ({})", formatBytes(study.ideal.bytes),
                           formatEventNumber(study.ideal.state.eventNumber()))}};
    if (study.recorded.oom) {
        rows.push_back({say("Needed to go on"),
                        say("{} reserved, under the recorded settings",
                            formatBytes(study.recorded.oom->needed()))});
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
        add(say("{} (recorded, start placed anew)", recorded), *study.recorded_anew);
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
        return say("Replayed under the recorded settings, the model gives all {} addresses, "
                   "all {} segment events and the final blocks of the file.",
                   formatCount(b.addresses_checked), formatCount(b.segments_checked));
    }
    const std::string addresses = formatCount(b.addresses_equal);
    const std::string all_addresses = formatCount(b.addresses_checked);
    const std::string segments = formatCount(b.segments_equal);
    const std::string all_segments = formatCount(b.segments_checked);
    std::string text = b.first_divergence
        ? say("Replayed under the recorded settings, the model gives {} of {} addresses and {} of "
              "{} segment events, and reserved memory within {}; they first part at {}.",
              addresses, all_addresses, segments, all_segments, formatBytes(b.reserved_gap),
              formatEventNumber(b.first_divergence->value))
        : say("Replayed under the recorded settings, the model gives {} of {} addresses and {} of "
              "{} segment events, and reserved memory within {}.",
              addresses, all_addresses, segments, all_segments, formatBytes(b.reserved_gap));
    return b.isTrusted() ? text : text + ' ' + say("Take the figures below as rough ones.");
}

std::string simulationVerdict(const Study& study)
{
    if (study.baseline.states_checked == 0) {
        return say("The trace has no requests, so there is nothing to replay.");
    }
    const Simulation& best = bestOf(study);
    const std::string name = nameOf(best.conditions.settings);
    if (study.exceedsIdeal()) {
        return say("Allocator settings cannot help: even packed without a gap the memory in "
                   "use is {} more than this process could get.",
                   formatBytes(study.ideal.bytes - *study.capacity.bytes));
    }
    if (study.recorded.oom && study.reference().fits() && isPlacedAnew(study)) {
        return say("The trace begins too late to tell: with what lived then placed anew, even the "
                   "recorded settings do not run out.");
    }
    if (study.candidates.empty() && placeAlike(best.conditions.settings, study.baseline.settings)) {
        return best.oom ? say("Under the recorded settings: {}.", outcomeText(best))
                        : std::string(say("Under the recorded settings the run does not run out."));
    }
    if (study.reference().fits()) {
        const Bytes less = study.reference().reserved_peak - best.reserved_peak;
        return less > Bytes{}
            ? say("The recorded settings do not run out; {} would reserve {} less at the peak.",
                  name, formatBytes(less))
            : study.candidates.empty()
            ? say("The recorded settings do not run out, and {} would not reserve less.", name)
            : say("The recorded settings do not run out, and none of those tried would not reserve "
                  "less.");
    }
    if (best.fits()) {
        return best.passed.empty()
            ? say("With {} the run does not run out of memory.", name)
            : say("With {} the run gets past the request that failed.", name);
    }
    return study.candidates.empty()
        ? fmt::format("{}: {}.", name, outcomeText(best))
        : say("none of the settings tried helps; {}: {}.", name, outcomeText(best));
}

std::vector<std::string> simulationLimits(const diagnose::Analysis& analysis,
                                          const SimulatedDevice& simulated)
{
    const Study& study = simulated.study;
    const replay::DeviceReplay& replay = analysis.replay->devices[simulated.device];
    std::vector<std::string> limits{
        say("The program's requests are taken as recorded, whatever the memory left."),
        say("Memory of other processes and of CUDA itself is taken not to change.")};
    if (isPlacedAnew(study)) {
        limits.push_back(say(
            "The trace begins with {} allocations in place. Other settings had placed them "
            "elsewhere: they are placed anew in the order of their addresses, and what was cached "
            "then is not.",
            formatCount(study.live_at_start)));
    }
    if (study.late_frees > 0) {
        limits.push_back(
            say("{} frees waited for another stream; they are taken to complete where they did.",
                formatCount(study.late_frees)));
    }
    if (!replay.ooms.empty()) {
        limits.emplace_back(
            say("What a run that went on past its failed request would have asked for next is not "
                "recorded."));
    }
    if (replay.hasPrivatePools()) {
        limits.emplace_back(
            say("Private pools keep their memory until the recorded run gave it back."));
    }
    const auto& streams = analysis.snapshot->devices[simulated.device].events.stream;
    if (std::set<std::uint64_t>(streams.begin(), streams.end()).size() > 1) {
        limits.emplace_back(say("Which streams used a block besides its own is not recorded."));
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
