// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/keyed_hash.h"
#include "core/diagnose/analysis.h"
#include "core/diagnose/facts/fp32_sites.h"
#include "core/diagnose/facts/in_use.h"
#include "core/diagnose/moment.h"
#include "core/diagnose/oom_message.h"
#include "core/label/modules/layers.h"
#include "core/label/runs/passes.h"
#include "core/label/stacks/stack_kinds.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::diagnose {

using label::Layer;
using label::Layers;
using label::Pass;

class ActivationGradients;
class CastShares;

/// How allocations of one exact size are used; what happens to a temporary of that size when the
/// batch changes depends on it.
struct SizeCounts {
    std::uint32_t states = 0; ///< Parameters and gradients.
    std::uint32_t weights = 0; ///< Parameters among them.
    std::uint32_t passing = 0; ///< Temporaries of forward.
    std::uint32_t passing_attention = 0; ///< Attention matrices among them.
    bool activates = false; ///< An activation function made one of these.
    /// Of backward, where something convolves: made beside a weight's gradient and gone before all
    /// else.
    std::uint32_t beside_weights = 0;
    bool pads_weight = false; ///< As large as a weight with padded rows, and never saved.
    std::uint32_t forward = 0; ///< Activations and inputs.
    std::uint32_t attention = 0; ///< Attention matrices among them.
    std::uint32_t logits = 0; ///< Logits among them.
    bool of_pairs = false; ///< Each sample against each, see `findSamplePairs`.

    /// What a library works in for a weight's gradient, which may not follow the batch.
    [[nodiscard]] bool isScratch() const
    {
        return states == 0 && forward == 0 && (pads_weight || (beside_weights > 0 && passing == 0));
    }
};

/// Bytes of the persistent buckets in the state that the diagnosis is about, and what they say.
struct StateBytes {
    std::int64_t parameters = 0;
    std::int64_t averages = 0; ///< Parameters that are an average of the others (EMA).
    std::int64_t masters = 0; ///< Parameters that are full-precision copies of the others.
    std::int64_t trainable = 0; ///< Parameters that get a gradient.
    double trainable_at_most = 1; ///< Times that at the upper end: adapters not seen to be made.
    std::int64_t frozen_ahead = 0; ///< Parameters of what ran before anything was saved.
    std::int64_t largest_parameter = 0; ///< Of the whole trace.
    std::int64_t gradients = 0; ///< Live in the state.
    std::int64_t gradients_full = 0; ///< The largest the gradient bucket ever got in one step.
    std::int64_t optimizer = 0; ///< Live in the state.
    std::int64_t optimizer_missing =
        0; ///< Not made yet although the first optimizer step is running.
    double copies = 0; ///< Optimizer state per trainable byte, once complete.

    /// What the model itself computes with.
    [[nodiscard]] std::int64_t model() const
    {
        return parameters - averages - masters;
    }
};

/// What all rules, laws and sentences of one device start from. Holds references into the analysis
/// that it was made from, so it must not outlive it.
struct Facts {
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

    /// Per allocation: the phase in which it was made; setup before the trace.
    std::vector<label::Phase> phase{};
    std::vector<Pass> passes{};
    std::vector<Fp32Site> fp32_sites{}; ///< Per allocation of forward passes; see fp32_sites.h.
    std::vector<std::int32_t>
        pass_of{}; ///< Per allocation: the pass in which it was made, −1 outside.
    Layers layers{};
    std::vector<StateId> boundaries{}; ///< Where steps begin, and where the last complete one ends.
    std::unordered_map<std::int64_t, SizeCounts, KeyedNumberHash> size_counts{};
    bool convolves = false; ///< Some stack is a convolution's.
    std::int64_t largest_scratch = 0; ///< Bytes, of those sizes.
    std::int64_t samples = 0; ///< Of a pass, where something convolves; see `samplesOfPass`.
    std::shared_ptr<const ActivationGradients> attention_kin{}; ///< Never null.
    std::shared_ptr<const ActivationGradients> logits_kin{}; ///< Never null.
    std::shared_ptr<const CastShares> casts{}; ///< Never null.
    Moment moment{};
    /// The label of the request that failed at the moment's OOM event.
    const label::FailedRequest* failed_request = nullptr; ///< Null without one.
    StateBytes states{};
    std::vector<InUse> in_use{}; ///< Fixes that the frames show.
    bool sixteen_bit = false; ///< Autocast or 16-bit weights were seen.
    bool sixteen_bit_states = false; ///< Weights themselves are 16-bit with their states.
    /// Bytes of an element of the weights as their sizes prove it; 0: they do not.
    std::int64_t proven_width = 0;

    [[nodiscard]] const replay::Allocations& allocations() const
    {
        return replay.allocations;
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
    /// Bytes of an element of the weights.
    [[nodiscard]] int weightWidth() const
    {
        return sixteen_bit_states ? 2 : 4;
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
    /// The allocations that were made while a pass ran are those from `first` to before `second`.
    /// O(log allocations).
    [[nodiscard]] std::pair<std::size_t, std::size_t> madeIn(const Pass& pass) const;
    /// Null without one.
    [[nodiscard]] const label::FailedRequest* failed() const
    {
        return failed_request;
    }
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
    /// Bytes that stay from step to step at the moment: parameters, optimizer state, gradients.
    [[nodiscard]] std::int64_t persistentAtMoment() const;
};

/// O(allocations + states). Requires the parts that `run` requires. `message` and `stacks` must
/// outlive the result. Asked to stop it stops early, and the facts mean nothing: the caller looks
/// at the token.
Facts gatherFacts(const Analysis& analysis, std::size_t device, const label::StackKinds& stacks,
                  const std::optional<OomMessage>& message, const std::stop_token& stop = {});

} // namespace tidemark::diagnose
