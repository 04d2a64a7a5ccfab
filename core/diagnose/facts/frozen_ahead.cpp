// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/frozen_ahead.h"

#include "core/diagnose/facts/facts.h"
#include "core/diagnose/facts/linear_calls.h"

#include <algorithm>
#include <optional>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

/// Where the forward of a pass saves something for the first time; nothing if it makes blocks
/// again, which save what they read only.
std::optional<StateId> firstSaved(const DeviceRun& run, const Pass& pass)
{
    static constexpr std::int64_t kTiny = 512; // a scale, a counter
    std::optional<StateId> saved;
    const auto [first, end] = run.madeIn(pass);
    for (std::size_t i = first; i < end; ++i) {
        const AllocationId a(i);
        if (run.stacks.traits(run.allocations().stack[i]).has(label::Trait::checkpoint)) {
            return std::nullopt;
        }
        const bool is_saved = run.phase[i] == Phase::forward && run.bucket(a) == Bucket::activation
            && run.bytes(a) > kTiny;
        if (is_saved && !saved) {
            saved = run.allocations().begin[i];
        }
    }
    return saved;
}

} // namespace

std::int64_t frozenAhead(const DeviceRun& run, const Precision& precision)
{
    static constexpr std::ptrdiff_t kFewest = 2; // layers
    const auto pass = std::ranges::find_if(run.passes, &Pass::isTraining);
    const auto saved = pass == run.passes.end() ? std::nullopt : firstSaved(run, *pass);
    if (!saved) {
        return 0;
    }
    const LinearCalls found = findLinearCalls(run, precision, *pass);
    const auto trained = std::ranges::find_if(
        found.calls, [&](const LayerCall& call) { return call.begin >= *saved; });
    if (!found.is_sure || trained == found.calls.end() || trained - found.calls.begin() < kFewest) {
        return 0;
    }
    const auto byWeight = [](const LayerCall& one, const LayerCall& other) {
        return one.weight < other.weight;
    };
    const auto first_trained = std::min_element(trained, found.calls.end(), byWeight)->weight;
    if (std::max_element(found.calls.begin(), trained, byWeight)->weight > first_trained) {
        return 0;
    }
    std::int64_t frozen = 0;
    for (std::size_t w = 0; w < first_trained; ++w) {
        frozen += found.weights[w].bytes + found.weights[w].vector;
    }
    return frozen;
}

} // namespace tidemark::diagnose
