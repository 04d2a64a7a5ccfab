// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/earlier/earlier_buckets.h"

#include "core/label/earlier/earlier_copies.h"
#include "core/label/stacks/frame_tests.h"

#include <algorithm>

namespace tidemark::label {
namespace {

/// Bytes; smaller ones are scalars and the like.
constexpr std::int64_t kTiny = 512;

bool isDataParallel(const trace::Snapshot& snapshot)
{
    return anyFrame(snapshot, [](std::string_view, std::string_view file) {
        return isFile(file, "torch/nn/parallel/distributed.py");
    });
}

/// Whether it is nothing, a gradient or two of them.
bool areGradients(std::int64_t bytes, const SizeCounts& gradients)
{
    return bytes == 0 || gradients.contains(bytes)
        || std::ranges::any_of(gradients, [&](const auto& one) {
               const auto other = gradients.find(bytes - one.first);
               return other != gradients.end()
                   && (other != gradients.find(one.first) || one.second > 1);
           });
}

} // namespace

EarlierBuckets::EarlierBuckets(const RuleInputs& evidence, const SizeCounts& gradients)
{
    static constexpr std::int64_t kBuffers = 1000; // one part in so many of the weights
    const replay::Allocations& all = evidence.replay.allocations;
    std::vector<AllocationId> found;
    std::int64_t bytes = 0;
    std::int64_t weights = 0;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const AllocationId a(i);
        if (!all.alloc_event[i].isNone() || !evidence.livesToTheEnd(a)) {
            continue;
        }
        const std::int64_t size = all.requested[i].value;
        const StackKind kind = evidence.kinds.kind(all.stack[i]);
        const bool is_bare = kind == StackKind::none || kind == StackKind::empty;
        weights += kind == StackKind::load ? size : 0;
        if (is_bare && size > kTiny && !gradients.contains(size)
            && !BlasWorkspaces::isUnmistakable(all.requested[i])) {
            found.push_back(a);
            bytes += size;
        }
    }
    std::int64_t trained = 0;
    for (const auto& [size, count] : gradients) {
        trained += size * count;
    }
    const auto addUpTo = [&](std::int64_t total) {
        return bytes <= total && areGradients(total - bytes, gradients);
    };
    // Where gradients are views of the buckets none is seen, and unused weights have none: the
    // weights tell, but for buffers.
    const bool are_as_weights = bytes <= weights && (weights - bytes) * kBuffers <= weights;
    // The frames of the whole file are looked at last.
    if (bytes > 0 && (are_as_weights || addUpTo(trained) || addUpTo(weights))
        && isDataParallel(evidence.snapshot)) {
        for (const AllocationId a : found) {
            m_buckets.insert(a.value);
        }
    }
}

} // namespace tidemark::label
