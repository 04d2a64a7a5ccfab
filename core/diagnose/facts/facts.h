// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/keyed_hash.h"
#include "core/diagnose/facts/device_run.h"
#include "core/diagnose/facts/fp32_sites.h"
#include "core/diagnose/facts/in_use.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::diagnose {

class ActivationGradients;
class CastShares;
struct BlockWeights;

/// How allocations of one exact size are used; what happens to a temporary of that size when the
/// batch changes depends on it.
struct SizeCounts {
    std::uint32_t states = 0; ///< Parameters and gradients.
    std::uint32_t weights = 0; ///< Parameters among them.
    std::uint32_t passing = 0; ///< Temporaries of forward.
    std::uint32_t passing_attention = 0; ///< Attention matrices among them.
    std::uint32_t passing_logits = 0; ///< Logits among them.
    bool activates = false; ///< An activation function made one of these.
    bool pads_weight = false; ///< As large as a weight with padded rows, and never saved.
    std::uint32_t forward = 0; ///< Activations and inputs.
    std::uint32_t attention = 0; ///< Attention matrices among them.
    std::uint32_t logits = 0; ///< Logits among them.
    bool of_pairs = false; ///< Each sample against each, see `findSamplePairs`.

    /// What a library works in for a weight's gradient, which may not follow the batch.
    [[nodiscard]] bool isScratch() const
    {
        return states == 0 && forward == 0 && pads_weight;
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

/// How wide an element is, as far as anything shows it.
struct Precision {
    bool sixteen_bit = false; ///< Autocast or 16-bit weights were seen.
    bool sixteen_bit_states = false; ///< Weights themselves are 16-bit with their states.
    /// Bytes of an element of the weights as their sizes prove it; 0: they do not.
    std::int64_t proven_width = 0;

    /// Else 32 bits are assumed: a file has no dtypes.
    [[nodiscard]] bool isWidthKnown() const
    {
        return sixteen_bit || proven_width != 0;
    }
    /// In 16 bits with weights in 32.
    [[nodiscard]] bool autocasts() const
    {
        return sixteen_bit && !sixteen_bit_states;
    }
    /// Bytes of an element of the weights.
    [[nodiscard]] int weightWidth() const
    {
        return sixteen_bit_states ? 2 : 4;
    }
};

/// By bytes.
using SizeCountsOf = std::unordered_map<std::int64_t, SizeCounts, KeyedNumberHash>;

/// What each size is used for.
struct SizeUses {
    SizeCountsOf size_counts{};
    bool convolves = false; ///< Some stack is a convolution's.
};

/// What all rules, laws and sentences of one device start from.
struct Facts : DeviceRun, Precision, SizeUses {
    std::vector<Fp32Site> fp32_sites{}; ///< Per allocation of forward passes; see fp32_sites.h.
    std::shared_ptr<const CastShares> casts{}; ///< Never null.
    std::shared_ptr<const ActivationGradients> attention_kin{}; ///< Never null.
    std::shared_ptr<const ActivationGradients> logits_kin{}; ///< Never null.
    std::shared_ptr<const BlockWeights> blocks{}; ///< Never null.
    std::vector<InUse> in_use{}; ///< Fixes that the frames show.
    StateBytes states{};
    /// Where not CUDA's, in the words of `OomMessage::backend`; empty: CUDA's, or not known.
    std::string_view backend{};

    /// Bytes that stay from step to step at the moment: parameters, optimizer state, gradients.
    [[nodiscard]] std::int64_t persistentAtMoment() const
    {
        return states.parameters + states.optimizer + states.gradients;
    }
    /// Whether gradients lie in a reducer's buckets alone, as FSDP's do, and DDP's with
    /// gradient_as_bucket_view: the last whole pass leaves next to none beside them.
    /// O(allocations).
    [[nodiscard]] bool haveBucketsAllGradients() const;
};

/// O(allocations + states). Requires the parts that `run` requires. `message` and `stacks` must
/// outlive the result. Asked to stop it stops early, and the facts mean nothing: the caller looks
/// at the token.
Facts gatherFacts(const Analysis& analysis, std::size_t device, const label::StackKinds& stacks,
                  const std::optional<OomMessage>& message, const std::stop_token& stop = {});

} // namespace tidemark::diagnose
