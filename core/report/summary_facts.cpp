// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/summary_facts.h"

#include "core/base/format.h"
#include "core/base/language.h"

#include <array>
#include <map>

namespace tidemark::report {

std::vector<std::pair<std::string, std::int64_t>> actionCounts(const trace::Snapshot& snapshot,
                                                               const trace::Device& device)
{
    std::array<std::int64_t, trace::kActionNames.size()> known{};
    for (const trace::Action action : device.events.action) {
        ++known[static_cast<std::size_t>(action)];
    }
    std::vector<std::pair<std::string, std::int64_t>> counts;
    for (std::size_t i = 0; i + 1 < known.size(); ++i) {
        if (known[i] > 0) {
            counts.emplace_back(trace::kActionNames[i], known[i]);
        }
    }
    std::map<std::string_view, std::int64_t> others;
    for (const auto& entry : device.events.other_names) {
        ++others[snapshot.text(entry.second)];
    }
    for (const auto& [name, count] : others) {
        counts.emplace_back(name, count);
    }
    return counts;
}

trace::InputNotes allNotes(const diagnose::Analysis& analysis)
{
    trace::InputNotes notes = analysis.snapshot->notes;
    for (const replay::DeviceReplay& device : analysis.replay->devices) {
        notes.merge(device.notes);
    }
    if (analysis.labels) {
        for (const label::DeviceLabels& device : analysis.labels->devices) {
            notes.merge(device.notes);
        }
    }
    if (analysis.corrections) {
        notes.merge(analysis.corrections->notes);
    }
    return notes;
}

std::string phaseText(const label::DeviceLabels& labels, StateId state)
{
    if (labels.phases.empty()) {
        return {};
    }
    const EventId event(state == StateId::start() ? 0U : state.value - 1);
    const label::PhaseSpan* const span = labels.phaseAt(event);
    if (span == nullptr) {
        return {};
    }
    const std::string_view phase = label::phaseNoun(span->phase);
    return span->step > 0 ? say("{} of step {}", phase, labels.numbers.of(span->step))
                          : std::string(phase);
}

std::string momentText(const label::DeviceLabels& labels, StateId state)
{
    const std::string phase = phaseText(labels, state);
    const std::string event = formatEventNumber(state.eventNumber());
    return phase.empty() || state == StateId::start() ? event : event + ", " + phase;
}

std::string momentText(const diagnose::Analysis& analysis, std::size_t device, StateId state)
{
    return analysis.snapshot->devices[device].events.count() == 0
        ? say("the dump")
        : momentText(analysis.labels->devices[device], state);
}

} // namespace tidemark::report
