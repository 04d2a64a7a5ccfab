// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/change.h"
#include "core/diagnose/facts.h"

#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tidemark::diagnose {

/// An amount that is not known exactly: bytes, low ≤ mid ≤ high.
struct Amount {
    double low = 0;
    double mid = 0;
    double high = 0;

    static constexpr Amount exactly(double bytes)
    {
        return {bytes, bytes, bytes};
    }
    constexpr Amount& operator+=(const Amount& other)
    {
        low += other.low;
        mid += other.mid;
        high += other.high;
        return *this;
    }
    /// Times a factor that is itself not exact.
    [[nodiscard]] constexpr Amount times(const Amount& f) const
    {
        return {low * f.low, mid * f.mid, high * f.high};
    }
    friend constexpr bool operator==(const Amount&, const Amount&) = default;
};

/// A stretch of states in which an allocation is live, half-open, with its size there.
struct Span {
    StateId begin;
    StateId end;
    Amount bytes;
    /// Of an addition; a stretch of a recorded allocation keeps the allocation's.
    label::Bucket bucket = label::Bucket::temporary;
    friend constexpr bool operator==(const Span&, const Span&) = default;
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

/// What one change does to each allocation of a run.
class Law {
public:
    Law() = default;
    virtual ~Law() = default;
    Law(const Law&) = delete;
    Law& operator=(const Law&) = delete;

    /// The buckets of which it changes anything; all others need not be asked about.
    [[nodiscard]] virtual BucketSet buckets() const = 0;
    /// Changes, removes or adds live stretches of one allocation. `spans` may have been changed by
    /// laws before.
    virtual void apply(const Subject& subject, std::vector<Span>& spans) const = 0;
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
    /// Whether results collected in evaluation stop growing.
    [[nodiscard]] virtual bool boundsEvaluation() const
    {
        return false;
    }
};

using Laws = std::vector<std::unique_ptr<Law>>;

/// The laws of a list of changes, in the order in which they apply. `facts` must outlive them.
Laws lawsFor(const Facts& facts, std::span<const Change> changes, int gpus);

/// Elements of what sharding gathers at once: a block's weights, at least the largest one.
/// O(allocations).
std::int64_t blockElements(const Facts& facts);

// One function per family; each in its own file.
std::unique_ptr<Law> microBatchLaw(const Facts& facts, double ratio);
std::unique_ptr<Law> accumulationLaw(const Facts& facts, int count);
std::unique_ptr<Law> sequenceLaw(const Facts& facts, double ratio);
std::unique_ptr<Law> evaluationAccumulationLaw(const Facts& facts, int batches);
std::unique_ptr<Law> checkpointingLaw(const Facts& facts, bool selective);
std::unique_ptr<Law> activationOffloadLaw(const Facts& facts);
std::unique_ptr<Law> flashAttentionLaw(const Facts& facts);
std::unique_ptr<Law> fusedLossLaw(const Facts& facts);
std::unique_ptr<Law> precisionLaw(const Facts& facts, bool pure);
std::unique_ptr<Law> optimizerLaw(const Facts& facts, const std::string& name);
std::unique_ptr<Law> optimizerTransientLaw(const Facts& facts, bool fused);
std::unique_ptr<Law> setToNoneLaw(const Facts& facts);
std::unique_ptr<Law> zeroLaw(const Facts& facts, int stage, int gpus);
std::unique_ptr<Law> offloadLaw(const Facts& facts, bool parameters);
std::unique_ptr<Law> adapterLaw(const Facts& facts, int rank, bool quantised);

} // namespace tidemark::diagnose
