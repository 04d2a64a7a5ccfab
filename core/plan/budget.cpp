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

void addPhasePeaks(const walk::Timeline& timeline, PlannedBudget& budget)
{
    const std::vector<std::uint32_t> calls = callsOf(timeline);
    std::int64_t total = 0;
    std::int64_t gradients = 0;
    std::size_t phase = 0;
    for (walk::CallCount m = 1; m <= timeline.moments; ++m) {
        while (phase + 1 < timeline.phases.size() && timeline.phases[phase + 1].moment <= m) {
            ++phase;
        }
        const walk::PlannedAllocation& a = timeline.allocations[calls[m]];
        const std::int64_t change = a.begin == m ? a.bytes.value : -a.bytes.value;
        total += change;
        const bool is_begun = !timeline.phases.empty() && timeline.phases[phase].moment <= m;
        const label::Phase now = is_begun ? timeline.phases[phase].phase : label::Phase::setup;
        Bytes& largest = budget.phase_peaks[static_cast<std::size_t>(now)];
        largest = std::max(largest, Bytes{total});
        if (a.bucket == Bucket::gradient) {
            gradients += change;
            budget.gradient_bytes = std::max(budget.gradient_bytes, Bytes{gradients});
        }
    }
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
    addPhasePeaks(planned.timeline, budget);
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
