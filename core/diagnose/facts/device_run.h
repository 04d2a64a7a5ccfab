// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id_range.h"
#include "core/diagnose/analysis.h"
#include "core/diagnose/facts/made_by.h"
#include "core/diagnose/moment.h"
#include "core/label/modules/layers.h"
#include "core/label/runs/passes.h"
#include "core/label/stacks/stack_kinds.h"
#include "core/message/oom_message.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::diagnose {

using label::Layer;
using label::Layers;
using label::Pass;

/// One device of a run as the stages before the diagnosis left it, where its passes, layers and
/// steps are, and the moment that the diagnosis is about. Holds references into the analysis that
/// it was made from, so it must not outlive it.
struct DeviceRun {
    const Analysis& analysis;
    std::size_t index;
    const trace::Snapshot& snapshot;
    const trace::Device& device;
    const replay::DeviceReplay& replay;
    const label::DeviceLabels& labels;
    const curves::DeviceCurves& curves;
    const replay::BlockSizes& sizes;
    const program::Program& program;
    const label::StackKinds& stacks;
    const std::optional<OomMessage>& message;

    std::vector<label::Phase> phase; ///< Per allocation; see `phaseOf`.
    std::vector<MadeBy> made_by; ///< Per stack.
    std::vector<bool> in_module; ///< Per stack; see `inModules`.
    std::vector<Pass> passes;
    std::vector<std::int32_t> pass_of; ///< Per allocation; see `passOf`.
    Layers layers;
    std::vector<StateId> boundaries; ///< Where steps begin, and where the last complete one ends.
    Moment moment;
    /// Of models, alive at the moment, in the order in which they were made.
    std::vector<AllocationId> weights;
    /// The label of the request that failed at the moment's OOM event; null without one.
    const label::FailedRequest* failed;

    [[nodiscard]] const replay::Allocations& allocations() const
    {
        return replay.allocations;
    }
    [[nodiscard]] IdRange<AllocationId> ids() const
    {
        return {0, replay.allocations.count()};
    }
    [[nodiscard]] label::Bucket bucket(AllocationId a) const
    {
        return labels.bucket[a.index()];
    }
    [[nodiscard]] label::Role role(AllocationId a) const
    {
        return labels.role[a.index()];
    }
    [[nodiscard]] std::int64_t bytes(AllocationId a) const
    {
        return replay.allocations.requested[a.index()].value;
    }
    [[nodiscard]] StateId begin(AllocationId a) const
    {
        return replay.allocations.begin[a.index()];
    }
    [[nodiscard]] StateId end(AllocationId a) const
    {
        return replay.allocations.end[a.index()];
    }
    [[nodiscard]] StackId stack(AllocationId a) const
    {
        return replay.allocations.stack[a.index()];
    }
    /// Whether the trace has the event that made it.
    [[nodiscard]] bool isOfTrace(AllocationId a) const
    {
        return !replay.allocations.alloc_event[a.index()].isNone();
    }
    /// When it was made; setup before the trace.
    [[nodiscard]] label::Phase phaseOf(AllocationId a) const
    {
        return phase[a.index()];
    }
    /// In which pass it was made; −1 outside.
    [[nodiscard]] std::int32_t passOf(AllocationId a) const
    {
        return pass_of[a.index()];
    }
    /// At the moment.
    [[nodiscard]] bool isLive(AllocationId a) const
    {
        return replay.allocations.isLive(a, moment.state);
    }
    [[nodiscard]] MadeBy madeBy(StackId stack) const
    {
        return stack.isNone() ? MadeBy::other : made_by[stack.index()];
    }
    [[nodiscard]] MadeBy madeBy(AllocationId a) const
    {
        return madeBy(stack(a));
    }
    [[nodiscard]] bool isInModule(StackId stack) const
    {
        return !stack.isNone() && in_module[stack.index()];
    }
    [[nodiscard]] bool isOom() const
    {
        return moment.is_oom;
    }
    /// Whether one call of a line made two allocations that follow each other, as a layer makes its
    /// copies under autocast and then its result. O(1).
    [[nodiscard]] bool isOfOneCall(std::size_t one, std::size_t next) const
    {
        const auto& stack = allocations().stack;
        return next < stack.size() && stacks.path(stack[one]) == stacks.path(stack[next]);
    }
    /// Whether an allocation is gone before another one begins, as what a kernel works in. O(1).
    [[nodiscard]] bool isGoneAtOnce(std::size_t allocation) const
    {
        const auto& begin = allocations().begin;
        const auto& end = allocations().end;
        const std::size_t next = allocation + 1;
        return next < begin.size() ? end[allocation] <= begin[next]
                                   : end[allocation] <= replay.lastState();
    }
    /// The allocations that were made while a pass ran. O(log allocations).
    [[nodiscard]] IdRange<AllocationId> madeIn(const Pass& pass) const;
    /// Stack of the request that failed; none without one.
    [[nodiscard]] StackId failedStack() const
    {
        return moment.is_oom ? device.events.stack[moment.oom.index()] : StackId::none();
    }
    [[nodiscard]] label::Phase phaseAtMoment() const;
    [[nodiscard]] std::uint32_t stepAtMoment() const; ///< 1-based; 0 before the first.
    [[nodiscard]] std::int64_t bucketAtMoment(label::Bucket b) const
    {
        return moment.buckets[label::indexOf(b)];
    }
};

/// The moment that a diagnosis of a device is about. O(live allocations). Requires what `run`
/// requires.
Moment momentOf(const Analysis& analysis, std::size_t device);

/// O(allocations + states). Requires the parts that `run` requires. `message` and `stacks` must
/// outlive the result.
DeviceRun deviceRunOf(const Analysis& analysis, std::size_t device, const label::StackKinds& stacks,
                      const std::optional<OomMessage>& message);

} // namespace tidemark::diagnose
