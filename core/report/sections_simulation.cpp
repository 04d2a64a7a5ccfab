// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/report/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tidemark::report {
namespace {

using allocator::CapacitySource;
using allocator::Simulation;
using allocator::Study;
using Rows = std::vector<std::vector<std::string>>;

std::string nameOf(const allocator::Settings& settings)
{
    return settings.text.empty() ? "defaults" : settings.text;
}

std::string outcomeText(const Simulation& s)
{
    if (s.oom) {
        const std::string where =
            formatEventNumber(s.oom->event.isNone() ? -1 : std::int64_t{s.oom->event.value});
        const std::string lack = s.conditions.capacity
            ? fmt::format(", short by {}", formatBytes(s.oom->needed() - *s.conditions.capacity))
            : std::string();
        return fmt::format("out of memory at {}{}", where, lack);
    }
    if (!s.passed.empty()) {
        return "gets past the request that failed";
    }
    return s.conditions.capacity ? "enough memory" : "no limit known";
}

/// Whether any of the results shown begins with a layout of its own.
bool isPlacedAnew(const Study& study)
{
    return study.recorded_anew && (!study.result.keeps_start || !study.candidates.empty());
}

Table resultTable(const Study& study)
{
    Table table;
    table.columns = {{"settings"},
                     {"outcome"},
                     {"reserved peak", Align::right},
                     {"of it cached", Align::right},
                     {"largest free block", Align::right}};
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
        return formatBytes(*study.capacity.bytes) + " (given)";
    case CapacitySource::oom_event:
        return formatBytes(*study.capacity.bytes) + " (reserved + free at the OOM event)";
    case CapacitySource::refusal:
        return formatBytes(*study.capacity.bytes) + " (the most reserved; more was refused)";
    case CapacitySource::unknown:
        break;
    }
    return "not known; --capacity says it";
}

Rows factsOf(const Study& study)
{
    Rows rows{{"Capacity", capacityText(study)},
              {"Ideal packing",
               fmt::format("{} ({})", formatBytes(study.ideal.bytes),
                           formatEventNumber(study.ideal.state.eventNumber()))}};
    if (study.recorded.oom) {
        rows.push_back(
            {"Needed to go on",
             formatBytes(study.recorded.oom->needed()) + " reserved, under the recorded settings"});
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
    add(recorded + " (recorded)", study.recorded);
    if (isPlacedAnew(study)) {
        add(recorded + " (recorded, start placed anew)", *study.recorded_anew);
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
        return fmt::format(
            "Replayed under the recorded settings, the model gives all {} addresses, "
            "all {} segment events and the final blocks of the file.",
            formatCount(b.addresses_checked), formatCount(b.segments_checked));
    }
    const std::string first = b.first_divergence
        ? fmt::format("; they first part at {}", formatEventNumber(b.first_divergence->value))
        : std::string();
    return fmt::format(
        "Replayed under the recorded settings, the model gives {} of {} addresses and "
        "{} of {} segment events, and reserved memory within {}{}.{}",
        formatCount(b.addresses_equal), formatCount(b.addresses_checked),
        formatCount(b.segments_equal), formatCount(b.segments_checked), formatBytes(b.reserved_gap),
        first, b.isTrusted() ? "" : " Take the figures below as rough ones.");
}

std::string simulationVerdict(const Study& study)
{
    if (study.baseline.states_checked == 0) {
        return "The trace has no requests, so there is nothing to replay.";
    }
    const Simulation& best = bestOf(study);
    const std::string name = nameOf(best.conditions.settings);
    if (study.exceedsIdeal()) {
        return fmt::format(
            "Allocator settings cannot help: even packed without a gap the memory in "
            "use is {} more than this process could get.",
            formatBytes(study.ideal.bytes - *study.capacity.bytes));
    }
    if (study.recorded.oom && study.reference().fits() && isPlacedAnew(study)) {
        return "The trace begins too late to tell: with what lived then placed anew, even the "
               "recorded settings do not run out.";
    }
    if (study.candidates.empty() && placeAlike(best.conditions.settings, study.baseline.settings)) {
        return best.oom ? fmt::format("Under the recorded settings: {}.", outcomeText(best))
                        : std::string("Under the recorded settings the run does not run out.");
    }
    if (study.reference().fits()) {
        const Bytes less = study.reference().reserved_peak - best.reserved_peak;
        return less > Bytes{}
            ? fmt::format("The recorded settings do not run out; {} would reserve {} less at the "
                          "peak.",
                          name, formatBytes(less))
            : fmt::format("The recorded settings do not run out, and {} would not reserve less.",
                          study.candidates.empty() ? name : std::string("none of those tried"));
    }
    if (best.fits()) {
        return best.passed.empty()
            ? fmt::format("With {} the run does not run out of memory.", name)
            : fmt::format("With {} the run gets past the request that failed.", name);
    }
    const std::string what =
        study.candidates.empty() ? name : fmt::format("none of the settings tried helps; {}", name);
    return fmt::format("{}: {}.", what, outcomeText(best));
}

std::vector<std::string> simulationLimits(const diagnose::Analysis& analysis,
                                          const SimulatedDevice& simulated)
{
    const Study& study = simulated.study;
    const replay::DeviceReplay& replay = analysis.replay->devices[simulated.device];
    std::vector<std::string> limits{
        "The program's requests are taken as recorded, whatever the memory left.",
        "Memory of other processes and of CUDA itself is taken not to change."};
    if (isPlacedAnew(study)) {
        limits.push_back(fmt::format(
            "The trace begins with {} allocations in place. Other settings had placed them "
            "elsewhere: they are placed anew in the order of their addresses, and what was cached "
            "then is not.",
            formatCount(study.live_at_start)));
    }
    if (study.late_frees > 0) {
        limits.push_back(fmt::format(
            "{} frees waited for another stream; they are taken to complete where they did.",
            formatCount(study.late_frees)));
    }
    if (!replay.ooms.empty()) {
        limits.emplace_back(
            "What a run that went on past its failed request would have asked for next is not "
            "recorded.");
    }
    if (replay.hasPrivatePools()) {
        limits.emplace_back("Private pools keep their memory until the recorded run gave it back.");
    }
    const auto& streams = analysis.snapshot->devices[simulated.device].events.stream;
    if (std::set<std::uint64_t>(streams.begin(), streams.end()).size() > 1) {
        limits.emplace_back("Which streams used a block besides its own is not recorded.");
    }
    return limits;
}

Document simulationDocument(const diagnose::Analysis& analysis,
                            std::span<const SimulatedDevice> simulated)
{
    Document document;
    document.title = "Allocator settings: " + analysis.file.filename().string();
    for (const SimulatedDevice& of : simulated) {
        document.sections.push_back(deviceSection(analysis, of));
    }
    return document;
}

} // namespace tidemark::report
