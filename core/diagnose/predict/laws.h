// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/amount.h"
#include "core/diagnose/facts/facts.h"
#include "core/diagnose/facts/fp32_sites.h"
#include "core/diagnose/facts/frozen_inputs.h"
#include "core/diagnose/facts/made_by.h"
#include "core/diagnose/predict/change.h"

#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// Memory that the changed run has and the recorded one has not: live in [begin, end).
struct Span {
    StateId begin;
    StateId end;
    Amount bytes;
    label::Bucket bucket = label::Bucket::temporary;
    label::Role role = label::Role::none;
};

/// When an allocation lives in the changed run.
struct Life {
    std::vector<Interval<StateId>> live; ///< In order, without overlap; empty: never.
    /// Where another one of its size may stand beside it.
    std::vector<Interval<StateId>> possible_second_use;
};

/// What a law looks at: an allocation of the recorded run, or the request that failed.
struct Subject {
    AllocationId allocation; ///< None for the failed request.
    label::Bucket bucket = label::Bucket::unknown;
    label::Role role = label::Role::none;
    label::Phase phase = label::Phase::other;
    std::int32_t pass = -1; ///< Index into `Facts::passes`.
    std::int64_t bytes = 0; ///< As recorded.
    StateId begin;
    StateId end;
    StackId stack;
    InputUse use = InputUse::other; ///< Of an activation.
    Fp32Site wide{};
    AttentionPart attention = AttentionPart::none;
    double matrix_share = 0; ///< How surely it is of attention matrices; of backward's temporaries.
    double logits_share = 0; ///< The same of logits.
    double copy_share = 0; ///< How much of an activation is a copy of a weight.

    [[nodiscard]] bool isOfBackward() const
    {
        return bucket == label::Bucket::temporary && phase == label::Phase::backward;
    }
};

/// Buckets, one bit each.
using BucketSet = std::bitset<label::kBucketCount>;

constexpr BucketSet bucketSet(std::initializer_list<label::Bucket> buckets)
{
    unsigned long long bits = 0;
    for (const label::Bucket b : buckets) {
        bits |= 1ULL << label::indexOf(b);
    }
    return {bits};
}

/// What one change does to each allocation of a run: it multiplies its size, changes when it lives,
/// or both. Of a subject's size only what `SizeKinds` tells apart may decide.
class Law {
public:
    Law() = default;
    virtual ~Law() = default;
    Law(const Law&) = delete;
    Law& operator=(const Law&) = delete;

    /// The buckets of which it changes anything; all others need not be asked about.
    [[nodiscard]] virtual BucketSet buckets() const = 0;
    /// What the size is multiplied with; 1 outside the buckets.
    [[nodiscard]] virtual Amount factor(const Subject& /*subject*/) const
    {
        return Amount::exactly(1);
    }
    /// In one word, how it changes lifetimes: laws of one word change them alike. Empty if it
    /// changes none.
    [[nodiscard]] virtual std::string_view cutting() const
    {
        return {};
    }
    /// Of an allocation; laws before may have changed its life.
    virtual void cut(const Subject& /*subject*/, Life& /*life*/) const { }
    /// Memory that the changed run has and the recorded one has not.
    [[nodiscard]] virtual std::vector<Span> additions() const
    {
        return {};
    }
    /// What is taken for granted, one sentence each.
    [[nodiscard]] virtual std::vector<std::string> assumptions() const
    {
        return {};
    }
    /// Factor on optimizer state that the run had still to make.
    [[nodiscard]] virtual Amount futureState() const
    {
        return Amount::exactly(1);
    }
    /// Factor on gradients that the run had still to make.
    [[nodiscard]] virtual Amount futureGradients() const
    {
        return Amount::exactly(1);
    }
    /// Whether a step has further passes, which find the gradients of the first.
    [[nodiscard]] virtual bool keepsGradients() const
    {
        return false;
    }
    /// What an evaluation that the file does not hold may still make at once, which the change has
    /// taken from training: bytes. 0 where an evaluation was recorded.
    [[nodiscard]] virtual std::int64_t laterEvaluation() const
    {
        return 0;
    }
    /// Whether results collected in evaluation stop growing.
    [[nodiscard]] virtual bool boundsEvaluation() const
    {
        return false;
    }
};

/// The law of one change, among `gpus` GPUs; null for one that changes nothing alone. `facts` must
/// outlive it. `to_sixteen_bits`: whether a change beside it has the run compute in 16 bits.
std::unique_ptr<Law> lawFor(const Facts& facts, const Change& change, int gpus,
                            bool to_sixteen_bits = false);

/// Elements of what sharding gathers at once: a block's weights, at least the largest one.
std::int64_t blockElements(const Facts& facts);

// One function per family; each in its own file.
std::unique_ptr<Law> microBatchLaw(const Facts& facts, double ratio);
std::unique_ptr<Law> accumulationLaw(const Facts& facts, int count);
std::unique_ptr<Law> sequenceLaw(const Facts& facts, double ratio);
std::unique_ptr<Law> evaluationAccumulationLaw(const Facts& facts, int batches);
/// `what`: "full", "selective", "attention".
std::unique_ptr<Law> checkpointingLaw(const Facts& facts, std::string_view what);
std::unique_ptr<Law> activationOffloadLaw(const Facts& facts);
std::unique_ptr<Law> flashAttentionLaw(const Facts& facts, bool to_sixteen_bits);
std::unique_ptr<Law> fusedLossLaw(const Facts& facts, const Change& change);
std::unique_ptr<Law> autocastLaw(const Facts& facts);
std::unique_ptr<Law> pureSixteenBitLaw(const Facts& facts);
std::unique_ptr<Law> optimizerLaw(const Facts& facts, const std::string& name);
std::unique_ptr<Law> optimizerTransientLaw(const Facts& facts, bool fused);
std::unique_ptr<Law> setToNoneLaw(const Facts& facts);
std::unique_ptr<Law> zeroLaw(const Facts& facts, int stage, int gpus);
std::unique_ptr<Law> offloadLaw(const Facts& facts, bool parameters);
/// Of a run that has adapters already, whose rank is known, another rank.
std::unique_ptr<Law> adapterLaw(const Facts& facts, const Change& change);

} // namespace tidemark::diagnose
