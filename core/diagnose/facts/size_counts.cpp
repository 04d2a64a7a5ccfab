// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/size_counts.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

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
            use.activates = use.activates || run.madeBy(a) == MadeBy::activation;
        }
    }
    markPaddedWeights(run, uses.size_counts);
    uses.convolves = std::ranges::find(run.made_by, MadeBy::convolution) != run.made_by.end();
    return uses;
}

} // namespace tidemark::diagnose
