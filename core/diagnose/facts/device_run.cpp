// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/device_run.h"

#include "core/replay/memory_state.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::Phase;

std::vector<StateId> boundariesOf(const label::DeviceLabels& labels, std::size_t states)
{
    std::vector<StateId> boundaries;
    for (const label::Step& step : labels.steps) {
        const StateId begin = StateId::before(step.first_event);
        if (boundaries.empty() || boundaries.back() < begin) {
            boundaries.push_back(begin);
        }
    }
    if (!labels.steps.empty()) {
        const StateId end = StateId::after(labels.steps.back().last_event);
        if (end.value < states && boundaries.back() < end) {
            boundaries.push_back(end);
        }
    }
    return boundaries;
}

std::vector<AllocationId> weightsAt(StateId moment, const replay::Allocations& all,
                                    const label::DeviceLabels& labels)
{
    std::vector<AllocationId> weights;
    for (std::size_t i = 0; i < all.count(); ++i) {
        if (labels.bucket[i] == label::Bucket::parameter && all.isLive(AllocationId(i), moment)) {
            weights.emplace_back(i);
        }
    }
    return weights;
}

const label::FailedRequest* failedRequest(const label::DeviceLabels& labels, const Moment& moment)
{
    const auto failed = std::ranges::find(labels.failed, moment.oom, &label::FailedRequest::event);
    return moment.is_oom && failed != labels.failed.end() ? &*failed : nullptr;
}

/// The event that the moment is at; requires one.
EventId eventAt(const Moment& moment)
{
    return moment.is_oom          ? moment.oom
        : moment.state.value == 0 ? EventId(0U)
                                  : EventId(moment.state.value - 1);
}

} // namespace

Moment momentOf(const Analysis& analysis, std::size_t device)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const trace::Events& events = analysis.snapshot->devices[device].events;
    Moment moment;
    moment.state = replay.peak;
    if (!replay.ooms.empty()) {
        moment.is_oom = true;
        moment.oom = replay.ooms.back();
        moment.state = StateId::before(moment.oom);
        moment.requested = events.size[moment.oom.index()];
        moment.tried = replay::segmentSizeFor(replay::roundToBlock(moment.requested));
        moment.device_free = events.deviceFree(moment.oom);
        const auto memory =
            replay::memoryStateAt(replay, (*analysis.block_sizes)[device], moment.state);
        moment.largest_hole = replay::largestUsableHole(
            memory, replay::roundToBlock(moment.requested), events.stream[moment.oom.index()]);
    }
    moment.active = replay.activeAt(moment.state);
    moment.reserved = replay.reservedAt(moment.state);
    moment.buckets = analysis.curves->devices[device].at(moment.state);
    return moment;
}

DeviceRun deviceRunOf(const Analysis& analysis, std::size_t device, const label::StackKinds& stacks,
                      const std::optional<OomMessage>& message)
{
    const replay::DeviceReplay& replay = analysis.replay->devices[device];
    const label::DeviceLabels& labels = analysis.labels->devices[device];
    std::vector<Pass> passes = label::findPasses(labels, replay.stateCount());
    std::vector<std::int32_t> pass_of = label::passesOf(replay.allocations, passes);
    Layers layers = label::findLayers(replay, labels, passes, pass_of);
    const Moment moment = momentOf(analysis, device);
    return {analysis,
            device,
            *analysis.snapshot,
            analysis.snapshot->devices[device],
            replay,
            labels,
            analysis.curves->devices[device],
            (*analysis.block_sizes)[device],
            analysis.program(device),
            stacks,
            message,
            label::phasesOf(replay.allocations, labels),
            makers(*analysis.snapshot),
            inModules(*analysis.snapshot),
            std::move(passes),
            std::move(pass_of),
            std::move(layers),
            boundariesOf(labels, replay.stateCount()),
            moment,
            weightsAt(moment.state, replay.allocations, labels),
            failedRequest(labels, moment)};
}

Phase DeviceRun::phaseAtMoment() const
{
    const std::size_t events = device.events.count();
    if (events == 0) {
        return Phase::other;
    }
    const label::PhaseSpan* span = labels.phaseAt(eventAt(moment));
    return span == nullptr ? Phase::other : span->phase;
}

std::uint32_t DeviceRun::stepAtMoment() const
{
    if (device.events.count() == 0) {
        return 0;
    }
    const label::PhaseSpan* span = labels.phaseAt(eventAt(moment));
    return span == nullptr ? 0 : span->step;
}

IdRange<AllocationId> DeviceRun::madeIn(const Pass& pass) const
{
    // They are ordered by their event, and begin in the state after it.
    const std::vector<StateId>& begins = allocations().begin;
    const auto first = std::upper_bound(begins.begin(), begins.end(), pass.forward.begin);
    const auto last = std::upper_bound(first, begins.end(), pass.end());
    return {static_cast<std::size_t>(first - begins.begin()),
            static_cast<std::size_t>(last - begins.begin())};
}

} // namespace tidemark::diagnose
