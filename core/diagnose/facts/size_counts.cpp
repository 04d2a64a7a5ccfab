// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/size_counts.h"

#include "core/diagnose/facts/convolutions.h"
#include "core/label/stacks/frame_tests.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

/// Whether backward made it right after something of a weight's size, or right before a gradient as
/// large as itself, and dropped it before anything else was made, vectors aside. The weights of
/// `size_counts` are read.
bool isBesideWeight(const DeviceRun& run, const SizeCountsOf& size_counts, std::size_t i)
{
    static constexpr std::int64_t kFarSmaller = 64; // a vector's gradient
    const replay::Allocations& a = run.allocations();
    const std::int64_t bytes = run.bytes(AllocationId(i));
    if (run.bucket(AllocationId(i)) != Bucket::temporary || run.phase[i] != Phase::backward) {
        return false;
    }
    bool is_copied = false; // into the layout that gradients have
    for (std::size_t next = i + 1; next < a.count() && a.begin[next] < a.end[i]; ++next) {
        const AllocationId other(next);
        is_copied =
            is_copied || (run.bytes(other) == bytes && run.bucket(other) == Bucket::gradient);
        if (run.bytes(other) * kFarSmaller > bytes && !is_copied) {
            return false;
        }
    }
    if (is_copied) {
        return true;
    }
    const auto before = size_counts.find(run.bytes(AllocationId(i - 1)));
    return before != size_counts.end() && before->second.weights > 0;
}

/// Whether an activation function of torch made it.
bool isOfActivation(const DeviceRun& run, AllocationId a)
{
    const StackId stack = run.allocations().stack[a.index()];
    const FrameId line = run.stacks.pythonFrame(stack);
    if (line.isNone()) {
        return false;
    }
    const Frame& innermost = run.snapshot.stacks.frame(line);
    return label::isActivationFunction(run.snapshot.text(innermost.name),
                                       run.snapshot.text(innermost.filename));
}

constexpr std::int64_t kSmallestUse = 4096; // bytes; smaller ones move no total

/// Kernels may read a weight, and compute its gradient, with padded rows: those of recurrent layers
/// do, and compilers that align the sides of a product. What is never saved, and is larger than a
/// weight by no more than such padding, is taken for that.
void markPaddedWeights(const DeviceRun& run, SizeCountsOf& size_counts)
{
    static constexpr std::int64_t kPadding = 16; // of a weight, at most one part in so many
    std::vector<std::int64_t> weights;
    for (const auto& [bytes, use] : size_counts) {
        if (use.weights > 0) {
            weights.push_back(bytes);
        }
    }
    std::ranges::sort(weights);
    for (std::size_t i = 0; i < run.allocations().count(); ++i) {
        const AllocationId a(i);
        const std::int64_t bytes = run.bytes(a);
        if (run.bucket(a) != Bucket::temporary || bytes < kSmallestUse) {
            continue;
        }
        const auto above = std::ranges::upper_bound(weights, bytes);
        if (above != weights.begin()) {
            const std::int64_t weight = *std::prev(above);
            if (bytes > weight && bytes - weight <= weight / kPadding) {
                size_counts[bytes].pads_weight = true;
            }
        }
    }
}

/// Samples of a pass through a network that sorts each into classes: as many as its logits are
/// times larger than the bias of the last layer, which is the last weight made. What the
/// configuration says comes first. 0 where neither tells. O(allocations).
std::int64_t samplesOfPass(const DeviceRun& run)
{
    const auto& config = run.analysis.input.config;
    if (config && config->micro_batch) {
        return *config->micro_batch;
    }
    std::int64_t weight = 0;
    std::int64_t bias = 0;
    std::int64_t logits = 0;
    for (std::size_t i = 0; i < run.allocations().count(); ++i) {
        const AllocationId a(i);
        if (run.bucket(a) == Bucket::parameter && !run.allocations().alloc_event[i].isNone()) {
            weight = bias;
            bias = run.bytes(a);
        } else if (run.role(a) == label::Role::logits && run.bucket(a) == Bucket::activation) {
            logits = std::max(logits, run.bytes(a));
        }
    }
    const bool is_last_layer = bias > 0 && weight > bias && weight % bias == 0;
    return is_last_layer && logits % bias == 0 ? logits / bias : 0;
}

} // namespace

SizeUses sizeUsesOf(const DeviceRun& run)
{
    SizeUses uses;
    for (std::size_t i = 0; i < run.allocations().count(); ++i) {
        const AllocationId a(i);
        const std::int64_t bytes = run.bytes(a);
        const Bucket bucket = run.bucket(a);
        if (bytes < kSmallestUse) {
            continue;
        }
        if (bucket == Bucket::parameter || bucket == Bucket::gradient) {
            ++uses.size_counts[bytes].states;
            uses.size_counts[bytes].weights += bucket == Bucket::parameter ? 1U : 0U;
        } else if (bucket == Bucket::activation && run.role(a) != Role::weight_cast) {
            SizeCounts& use = uses.size_counts[bytes];
            ++use.forward;
            use.attention += run.role(a) == Role::attention_matrix ? 1U : 0U;
            use.logits += run.role(a) == Role::logits ? 1U : 0U;
        } else if (bucket == Bucket::temporary && run.phase[i] == Phase::forward) {
            SizeCounts& use = uses.size_counts[bytes];
            ++use.passing;
            use.passing_attention += run.role(a) == Role::attention_matrix ? 1U : 0U;
            use.passing_logits += run.role(a) == Role::logits ? 1U : 0U;
            use.activates = use.activates || isOfActivation(run, a);
        }
    }
    markPaddedWeights(run, uses.size_counts);
    uses.convolves = convolves(run.snapshot);
    if (!uses.convolves) {
        return uses;
    }
    uses.samples = samplesOfPass(run);
    for (std::size_t i = 1; i < run.allocations().count(); ++i) {
        if (run.bytes(AllocationId(i)) >= kSmallestUse
            && isBesideWeight(run, uses.size_counts, i)) {
            ++uses.size_counts[run.bytes(AllocationId(i))].beside_weights;
        }
    }
    for (const auto& [bytes, use] : uses.size_counts) {
        uses.largest_scratch = std::max(uses.largest_scratch, use.isScratch() ? bytes : 0);
    }
    return uses;
}

} // namespace tidemark::diagnose
