// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/predict.h"

#include "core/base/language.h"
#include "core/base/parallel.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/predict/changed_run.h"
#include "core/diagnose/predict/laws.h"
#include "core/diagnose/predict/run_scan.h"
#include "core/diagnose/what_if.h"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace tidemark::diagnose {
namespace {

/// What is not zeroed now cannot be set to none instead.
const Need& needBefore(const NeedBasis& basis, std::span<const Change> changes)
{
    const bool zeroes = std::ranges::any_of(
        changes, [](const Change& c) { return c.kind == ChangeKind::set_to_none; });
    return zeroes && basis.before_zeroing ? *basis.before_zeroing : basis.before;
}

/// The accumulation that a smaller micro-batch lacks; 1: none.
int stepsForTheSameBatch(const Facts& facts, std::span<const Change> changes)
{
    const auto has = [&](ChangeKind kind) {
        return std::ranges::find(changes, kind, &Change::kind);
    };
    const auto batch = has(ChangeKind::micro_batch);
    const bool is_alone = batch != changes.end() && has(ChangeKind::accumulation) == changes.end();
    if (!is_alone || batch->number >= 1 || facts.states.gradients_full <= 0) {
        return 1;
    }
    constexpr double kMost = 1e6;
    constexpr double kSame = 0.02; // 0.33 is meant as a third; 0.6 is no part of a whole.
    const double steps = std::round(1 / batch->number);
    return steps <= kMost && std::abs(steps * batch->number - 1) <= kSame ? static_cast<int>(steps)
                                                                          : 1;
}

label::BucketBytes bucketsAfter(const Facts& facts, const SizeKinds& kinds, const ChangedRun& run,
                                StateId state)
{
    if (run.walked) {
        return run.walked->buckets;
    }
    label::BucketBytes buckets = facts.curves.at(state);
    const auto add = [&](label::Bucket bucket, double bytes) {
        buckets[label::indexOf(bucket)] += std::llround(bytes);
    };
    for (const AllocationId a : facts.ids()) {
        if (!run.sizes.empty() && facts.allocations().isLive(a, state)) {
            add(facts.bucket(a),
                run.sizes[kinds.of[a.index()]].mid - static_cast<double>(facts.bytes(a)));
        }
    }
    for (const LifetimeTurn& turn : run.lifetimes != nullptr ? *run.lifetimes : Lifetimes()) {
        if (turn.at <= state) {
            add(kinds.examples[turn.kind].bucket, turn.count * run.sizeOf(kinds, turn.kind).mid);
        }
    }
    for (const auto& additions : run.additions) {
        for (const Span& addition : *additions) {
            if (addition.begin <= state && state < addition.end) {
                add(addition.bucket, addition.bytes.mid);
            }
        }
    }
    return buckets;
}

/// Of a changed run in one of its states, best estimate. `need` and `reserved` in bytes, of the
/// same run; what the live bytes and the failed request do not explain is to follow.
/// O(allocations + turns).
Budget budgetOf(const Facts& facts, const SizeKinds& kinds, const ChangedRun& run, StateId state,
                std::int64_t need, std::int64_t reserved)
{
    Budget budget;
    budget.state = state;
    budget.buckets = bucketsAfter(facts, kinds, run, state);
    budget.failed = facts.isOom() ? std::llround(run.failed.mid) : 0;
    budget.to_follow = need - budget.live() - budget.failed;
    budget.overhead = reserved - need;
    return budget;
}

/// The curve keeps its form, up to that peak.
void takeWalked(const Walked& walked, ScanResult& scanned)
{
    const double factor =
        static_cast<double>(walked.peak.value) / std::max(1.0, scanned.largest.mid);
    for (std::int64_t& bytes : scanned.curve) {
        bytes = std::llround(static_cast<double>(bytes) * factor);
    }
    scanned.largest = {static_cast<double>(walked.low.value),
                       static_cast<double>(walked.peak.value),
                       static_cast<double>(walked.high.value)};
}

/// From what the scan found.
PredictedRun assemble(const Facts& facts, const SizeKinds& kinds, const NeedBasis& basis,
                      std::span<const Change> changes, const ChangedRun& run, ScanResult scanned,
                      bool keep_curve)
{
    if (run.walked) {
        takeWalked(*run.walked, scanned);
    }
    PredictedRun result;
    result.need = needOf(facts, basis, run, scanned);
    const Need& before = needBefore(basis, changes);
    const Need& after = result.need;
    Prediction& p = result.prediction;
    p.device = facts.index;
    p.before_peak = facts.replay.activeAt(facts.replay.peak);
    p.before_need = roundedBytes(before.requested.mid);
    p.before_reserved = roundedBytes(before.reserved.mid);
    p.after_peak = roundedBytes(scanned.largest.mid);
    const double slack = run.is_changed
        ? predictionSlack(static_cast<double>(p.before_peak.value), scanned.largest.mid)
        : 0;
    p.after_low = roundedBytes(std::max(0.0, scanned.largest.low - slack));
    p.after_high = roundedBytes(scanned.largest.high + slack);
    p.after_peak_state = scanned.largest_mid_at;
    p.after_need = roundedBytes(after.requested.mid);
    p.after_need_low = roundedBytes(after.requested.low);
    p.after_need_high = roundedBytes(after.requested.high);
    p.after_reserved = roundedBytes(after.reserved.mid);
    p.after_reserved_low = roundedBytes(after.reserved.low);
    p.after_reserved_high = roundedBytes(after.reserved.high);
    p.capacity = basis.capacity.bytes;
    p.capacity_unsure = basis.capacity.unsure;
    p.fits = fitsInto(after, basis.capacity);
    p.by = run.walked ? Engine::walk : Engine::laws;
    if (run.walked) {
        p.assumptions.push_back(run.walked->how);
    }
    for (const Law* const law : run.walked ? std::span<const Law* const>() : run.laws) {
        for (std::string& text : law->assumptions()) {
            p.assumptions.push_back(std::move(text));
        }
    }
    if (const int steps = stepsForTheSameBatch(facts, changes); steps > 1) {
        p.assumptions.push_back(
            say("A smaller micro-batch alone shrinks the effective batch; accumulation={} keeps it "
                "and holds the gradients through later passes.",
                steps));
    }
    p.assumptions.insert(p.assumptions.end(), after.notes.begin(), after.notes.end());
    if (!p.capacity) {
        p.assumptions.push_back(basis.capacity.source);
    }
    if (keep_curve) {
        p.after_active = std::move(scanned.curve);
        p.before_budget = budgetOf(facts, kinds, unchangedRun(facts), facts.moment.state,
                                   p.before_need.value, p.before_reserved.value);
        const StateId state = facts.isOom() ? facts.moment.state : p.after_peak_state;
        p.after_budget =
            budgetOf(facts, kinds, run, state, p.after_need.value, p.after_reserved.value);
    }
    return result;
}

/// How many of the lists to predict in one pass over the trace. Few enough that their rows, one per
/// kind of allocation, take little memory; several passes at a time where there are threads.
std::size_t perSweep(std::size_t lists, std::size_t kinds)
{
    static constexpr std::size_t kLeast = 4;
    static constexpr std::size_t kMost = 32;
    static constexpr std::size_t kShare = 16; // fewer are not worth a pass of their own
    static constexpr std::size_t kRoom = std::size_t{1} << 23; // numbers in rows
    const std::size_t that_fit = kRoom / (3 * std::max<std::size_t>(1, kinds));
    const std::size_t share = std::max(kShare, (lists + 1) / 2);
    return std::clamp(std::min(share, that_fit), kLeast, kMost);
}

} // namespace

PredictedRun predictRun(RunChanger& changer, const NeedBasis& basis,
                        std::span<const Change> changes, int gpus, bool keep_curve)
{
    const Facts& facts = changer.facts();
    const ChangedRun run = changer.changed(changes, gpus);
    ScanRequest request = requestForNeed(facts, basis);
    request.keep_curve = keep_curve;
    return assemble(facts, changer.kinds(), basis, changes, run,
                    scan(facts, changer.kinds(), run, request), keep_curve);
}

std::vector<PredictedRun> predictRuns(RunChanger& changer, const NeedBasis& basis,
                                      std::span<const std::vector<Change>> scenarios, int gpus)
{
    const Facts& facts = changer.facts();
    const SizeKinds& kinds = changer.kinds();
    const ScanRequest request = requestForNeed(facts, basis);
    const std::size_t together = perSweep(scenarios.size(), kinds.count());
    const std::size_t sweeps = (scenarios.size() + together - 1) / together;
    std::vector<PredictedRun> results(scenarios.size());
    std::mutex changing;
    forEachInParallel(sweeps, [&](std::size_t i) {
        const std::size_t first = i * together;
        std::vector<ChangedRun> runs;
        {
            const std::scoped_lock lock(changing);
            for (std::size_t k = first; k < std::min(first + together, scenarios.size()); ++k) {
                runs.push_back(changer.changed(scenarios[k], gpus));
            }
        }
        std::vector<ScanResult> scanned = scanAll(facts, kinds, runs, request);
        for (std::size_t k = 0; k < runs.size(); ++k) {
            results[first + k] = assemble(facts, kinds, basis, scenarios[first + k], runs[k],
                                          std::move(scanned[k]), false);
        }
    });
    return results;
}

Prediction predict(const Analysis& analysis, std::size_t device, std::span<const Change> changes,
                   Engine engine)
{
    return WhatIf(analysis, device, {}, engine).predict(changes);
}

} // namespace tidemark::diagnose
