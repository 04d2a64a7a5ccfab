// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/labels.h"

#include "core/base/language.h"
#include "core/label/assign/assigner.h"
#include "core/label/assign/perturbations.h"
#include "core/label/assign/served_passes.h"
#include "core/label/captured/label_captured.h"
#include "core/label/stacks/stated_kinds.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <unordered_map>

namespace tidemark::label {
namespace {

std::vector<PhaseSpan> spansOf(const Runs& runs)
{
    std::vector<PhaseSpan> spans;
    for (const Run& r : runs.runs) {
        if (!spans.empty() && spans.back().phase == r.phase && spans.back().step == r.step) {
            spans.back().end = r.end;
        } else {
            spans.push_back({r.first, r.end, r.phase, r.step});
        }
    }
    return spans;
}

/// What the program itself attached to memory outweighs what is inferred.
void labelStated(const RuleInputs& evidence, Assigner& assigner)
{
    std::unordered_map<std::uint32_t, std::optional<Bucket>> buckets; // By text.
    forEachAttachedText(evidence.device, evidence.replay, [&](AllocationId a, StringId text) {
        const auto [it, is_new] = buckets.try_emplace(text.value);
        if (is_new) {
            it->second = bucketOfMetadata(evidence.snapshot.text(text));
        }
        if (it->second && *it->second != assigner.bucketOf(a)) {
            assigner.assign(a, *it->second, Role::none, Rule::named_by_program);
        }
    });
}

/// Ends early, with labels that are not all there, when asked to stop.
DeviceLabels labelDevice(const trace::Snapshot& snapshot, const trace::Device& device,
                         const replay::DeviceReplay& replay, const StackKinds& kinds,
                         const StatedTimes& times, const StagePart& progress)
{
    DeviceLabels labels;
    const Runs runs = findRuns(snapshot, device, replay, kinds, times);
    const BlasWorkspaces workspaces(device, replay, kinds, runs);
    const RuleInputs evidence{snapshot,          device, replay, kinds, runs, workspaces,
                              lastMoment(device)};
    Assigner assigner(evidence, labels);
    const SizeCounts gradients = labelTraced(evidence, assigner, progress);
    const std::initializer_list<std::function<void()>> rest{
        [&] {
            if (runs.is_frameless) {
                relabelFrameless(evidence, gradients, assigner);
            }
        },
        [&] { labelEarlier(evidence, gradients, assigner); },
        [&] {
            labelPerturbations(evidence, assigner);
            labelServedPasses(evidence, assigner);
        },
        [&] { labelStated(evidence, assigner); },
        [&] { assignRoles(evidence, gradients, assigner); },
        [&] {
            labels.phases = spansOf(runs);
            labels.steps = runs.steps;
        },
        [&] {
            labelCaptured(snapshot, device, replay, labels);
            labels.numbers = StepNumbers(snapshot, device, labels);
        },
        [&] { labels.failed = labelFailed(evidence, assigner); },
    };
    for (const std::function<void()>& step : rest) {
        if (!progress.goesOn(1, 1)) {
            break;
        }
        step();
    }
    return labels;
}

} // namespace

const PhaseSpan* DeviceLabels::phaseAt(EventId e) const
{
    const auto it = std::ranges::upper_bound(phases, e, {}, &PhaseSpan::first);
    return it == phases.begin() ? nullptr : &*std::prev(it);
}

std::vector<Step> DeviceLabels::stepsBegun() const
{
    std::vector<Step> begun = steps;
    const auto trains = [this](const PhaseSpan& span) {
        return span.step > steps.size()
            && (span.phase == Phase::forward || span.phase == Phase::backward
                || span.phase == Phase::optimizer);
    };
    auto first = std::ranges::find_if(phases, trains);
    if (first != phases.end()) {
        if (first != phases.begin() && std::prev(first)->phase == Phase::input
            && std::prev(first)->step == first->step) {
            --first;
        }
        begun.push_back({first->first, EventId(phases.back().end.index() - 1)});
    }
    return begun;
}

Result<Labels> apply(const trace::Snapshot& snapshot, const replay::Replay& replay,
                     ProgressSink& progress, std::stop_token stop)
{
    progress.report("labelling", 0.0);
    const StackKinds kinds(snapshot, stop);
    const StatedTimes times(snapshot);
    Labels labels;
    const std::size_t count = snapshot.devices.size();
    for (std::size_t d = 0; d < count && !stop.stop_requested(); ++d) {
        labels.devices.push_back(labelDevice(snapshot, snapshot.devices[d], replay.devices[d],
                                             kinds, times,
                                             {progress, stop, "labelling", d, count}));
    }
    if (stop.stop_requested()) {
        return Error{ErrorCode::cancelled, say("Reading was cancelled."), {}};
    }
    progress.report("labelling", 1.0);
    return labels;
}

} // namespace tidemark::label
