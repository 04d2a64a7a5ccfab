// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/budget.h"

#include "core/allocator/caching_allocator.h"
#include "core/walk/training.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

namespace tidemark::plan {
namespace {

using label::Bucket;
using label::Role;

/// The most that gradients take.
Bytes gradientsOf(const walk::Timeline& timeline)
{
    const std::vector<std::uint32_t> calls = callsOf(timeline);
    std::int64_t gradients = 0;
    Bytes most;
    for (walk::CallCount m = 1; m <= timeline.moments; ++m) {
        const walk::PlannedAllocation& a = timeline.allocations[calls[m]];
        if (a.bucket == Bucket::gradient) {
            gradients += a.begin == m ? a.bytes.value : -a.bytes.value;
            most = std::max(most, Bytes{gradients});
        }
    }
    return most;
}

} // namespace

Bytes reservedFor(const walk::Timeline& timeline, Bytes workspace)
{
    allocator::CapacityDriver driver(std::nullopt);
    allocator::CachingAllocator model(allocator::Settings{}, driver);
    const std::vector<std::uint32_t> calls = callsOf(timeline);
    std::vector<allocator::BlockId> blocks(timeline.allocations.size());
    Bytes most;
    for (walk::CallCount m = 1; m <= timeline.moments; ++m) {
        const std::uint32_t i = calls[m];
        const walk::PlannedAllocation& a = timeline.allocations[i];
        if (a.begin == m && a.bytes.value > 0) { // None asks for nothing.
            blocks[i] = model.allocate({a.bytes, 0, {}, false});
        } else if (a.bytes.value > 0) {
            model.completeFree(blocks[i]);
        }
        if (workspace.value > 0
            && std::ranges::find(timeline.products, m) != timeline.products.end()) {
            model.allocate({workspace, 0, {}, false});
        }
        most = std::max(most, model.reserved());
    }
    return most;
}

PlannedBudget stageBudgetOf(const walk::ModelShape& model, const walk::RunShape& run,
                            Bytes workspace)
{
    const walk::PlannedRun planned = walk::planRun(model, run);
    PlannedBudget budget;
    budget.peak = peakOf(planned.timeline);
    budget.phase_peaks = phasePeaksOf(planned.timeline);
    budget.gradient_bytes = gradientsOf(planned.timeline);
    const auto threads = 2 - std::ranges::count(planned.timeline.products, walk::CallCount{0});
    budget.reserved = reservedFor(planned.timeline, workspace) - Bytes{workspace.value * threads};
    budget.parameters = planned.parameters;
    budget.trained = planned.trained;
    budget.gathered_layer = planned.gathered_layer;
    budget.gathered_root = planned.gathered_root;
    for (const walk::PlannedAllocation& a : planned.timeline.allocations) {
        if (a.bucket == Bucket::parameter && a.role != Role::unsharded) {
            budget.parameter_bytes += a.bytes;
        } else if (a.bucket == Bucket::optimizer_state) {
            budget.state_bytes += a.bytes;
        }
    }
    budget.stage = run.division.stage;
    budget.host = hostBudgetOf(run, planned.parameters, planned.trained_share);
    return budget;
}

PlannedBudget budgetOf(const walk::ModelShape& model, const walk::RunShape& run, Bytes workspace)
{
    const std::int64_t last = run.division.pipeline - 1;
    PlannedBudget worst;
    for (const std::int64_t stage :
         std::set<std::int64_t>{0, std::min<std::int64_t>(1, last), last}) {
        walk::RunShape part = run;
        part.division.stage = stage;
        PlannedBudget budget = stageBudgetOf(model, part, workspace);
        if (stage == 0 || budget.peak.bytes > worst.peak.bytes) {
            worst = std::move(budget);
        }
    }
    return worst;
}

} // namespace tidemark::plan
