// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/size_counts.h"

#include "core/diagnose/facts/convolutions.h"
#include "core/diagnose/facts/samples.h"
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
/// `facts.size_counts` are read.
bool isBesideWeight(const Facts& facts, std::size_t i)
{
    static constexpr std::int64_t kFarSmaller = 64; // a vector's gradient
    const replay::Allocations& a = facts.allocations();
    const std::int64_t bytes = facts.bytes(AllocationId(i));
    if (facts.bucket(AllocationId(i)) != Bucket::temporary || facts.phase[i] != Phase::backward) {
        return false;
    }
    bool is_copied = false; // into the layout that gradients have
    for (std::size_t next = i + 1; next < a.count() && a.begin[next] < a.end[i]; ++next) {
        const AllocationId other(next);
        is_copied =
            is_copied || (facts.bytes(other) == bytes && facts.bucket(other) == Bucket::gradient);
        if (facts.bytes(other) * kFarSmaller > bytes && !is_copied) {
            return false;
        }
    }
    if (is_copied) {
        return true;
    }
    const auto before = facts.size_counts.find(facts.bytes(AllocationId(i - 1)));
    return before != facts.size_counts.end() && before->second.weights > 0;
}

/// Whether an activation function of torch made it.
bool isOfActivation(const Facts& facts, AllocationId a)
{
    const StackId stack = facts.allocations().stack[a.index()];
    const FrameId line = facts.stacks.pythonFrame(stack);
    if (line.isNone()) {
        return false;
    }
    const Frame& innermost = facts.snapshot.stacks.frame(line);
    return label::isActivationFunction(facts.snapshot.text(innermost.name),
                                       facts.snapshot.text(innermost.filename));
}

constexpr std::int64_t kSmallestUse = 4096; // bytes; smaller ones move no total

/// Kernels may read a weight, and compute its gradient, with padded rows: those of recurrent layers
/// do, and compilers that align the sides of a product. What is never saved, and is larger than a
/// weight by no more than such padding, is taken for that.
void markPaddedWeights(Facts& facts)
{
    static constexpr std::int64_t kPadding = 16; // of a weight, at most one part in so many
    std::vector<std::int64_t> weights;
    for (const auto& [bytes, use] : facts.size_counts) {
        if (use.weights > 0) {
            weights.push_back(bytes);
        }
    }
    std::ranges::sort(weights);
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        const std::int64_t bytes = facts.bytes(a);
        if (facts.bucket(a) != Bucket::temporary || bytes < kSmallestUse) {
            continue;
        }
        const auto above = std::ranges::upper_bound(weights, bytes);
        if (above != weights.begin()) {
            const std::int64_t weight = *std::prev(above);
            if (bytes > weight && bytes - weight <= weight / kPadding) {
                facts.size_counts[bytes].pads_weight = true;
            }
        }
    }
}

} // namespace

void gatherSizeCounts(Facts& facts)
{
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        const std::int64_t bytes = facts.bytes(a);
        const Bucket bucket = facts.bucket(a);
        if (bytes < kSmallestUse) {
            continue;
        }
        if (bucket == Bucket::parameter || bucket == Bucket::gradient) {
            ++facts.size_counts[bytes].states;
            facts.size_counts[bytes].weights += bucket == Bucket::parameter ? 1U : 0U;
        } else if (bucket == Bucket::activation && facts.role(a) != Role::weight_cast) {
            SizeCounts& use = facts.size_counts[bytes];
            ++use.forward;
            use.attention += facts.role(a) == Role::attention_matrix ? 1U : 0U;
            use.logits += facts.role(a) == Role::logits ? 1U : 0U;
        } else if (bucket == Bucket::temporary && facts.phase[i] == Phase::forward) {
            SizeCounts& use = facts.size_counts[bytes];
            ++use.passing;
            use.passing_attention += facts.role(a) == Role::attention_matrix ? 1U : 0U;
            use.activates = use.activates || isOfActivation(facts, a);
        }
    }
    markPaddedWeights(facts);
    facts.convolves = convolves(facts.snapshot);
    if (!facts.convolves) {
        return;
    }
    facts.samples = samplesOfPass(facts);
    for (std::size_t i = 1; i < facts.allocations().count(); ++i) {
        if (facts.bytes(AllocationId(i)) >= kSmallestUse && isBesideWeight(facts, i)) {
            ++facts.size_counts[facts.bytes(AllocationId(i))].beside_weights;
        }
    }
    for (const auto& [bytes, use] : facts.size_counts) {
        facts.largest_scratch = std::max(facts.largest_scratch, use.isScratch() ? bytes : 0);
    }
}

} // namespace tidemark::diagnose
