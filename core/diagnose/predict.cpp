// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict.h"

#include "core/diagnose/changed_run.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/laws.h"
#include "core/diagnose/run_sweep.h"
#include "core/diagnose/size_kinds.h"
#include "core/diagnose/what_if.h"

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

Bytes roundedBytes(double bytes)
{
    return {std::llround(bytes)};
}

int countOf(const Change& change)
{
    return static_cast<int>(std::lround(change.number));
}

std::unique_ptr<Law> lawFor(const Facts& facts, const Change& change, int gpus)
{
    switch (change.kind) {
    case ChangeKind::micro_batch:
        return microBatchLaw(facts, change.number);
    case ChangeKind::accumulation:
        return accumulationLaw(facts, countOf(change));
    case ChangeKind::sequence:
        return sequenceLaw(facts, change.number);
    case ChangeKind::checkpointing:
        return checkpointingLaw(facts, change.word == "selective");
    case ChangeKind::precision:
        return precisionLaw(facts, change.word == "pure-bf16");
    case ChangeKind::optimizer:
        return optimizerLaw(facts, change.word);
    case ChangeKind::foreach:
        return optimizerTransientLaw(facts, false);
    case ChangeKind::fused:
        return optimizerTransientLaw(facts, true);
    case ChangeKind::set_to_none:
        return setToNoneLaw(facts);
    case ChangeKind::attention:
        return flashAttentionLaw(facts);
    case ChangeKind::fused_loss:
        return fusedLossLaw(facts);
    case ChangeKind::zero:
        return zeroLaw(facts, countOf(change), gpus);
    case ChangeKind::gpus:
        return nullptr; // says how many share; changes nothing alone
    case ChangeKind::offload:
        return change.word == "activations" ? activationOffloadLaw(facts)
                                            : offloadLaw(facts, change.word == "parameters");
    case ChangeKind::lora:
        return adapterLaw(facts, countOf(change), false);
    case ChangeKind::qlora:
        return adapterLaw(facts, countOf(change), true);
    case ChangeKind::eval_accumulation:
        return evaluationAccumulationLaw(facts, countOf(change));
    }
    return nullptr;
}

/// Checkpointing and offloading cut lifetimes, so they must see them as recorded; sizes scale
/// afterwards.
int orderOf(ChangeKind kind)
{
    switch (kind) {
    case ChangeKind::checkpointing:
        return 0;
    case ChangeKind::offload:
    case ChangeKind::set_to_none:
    case ChangeKind::eval_accumulation:
        return 1;
    default:
        return 2;
    }
}

/// From what the scan found.
PredictedRun assemble(const Facts& facts, const NeedBasis& basis, const Laws& laws,
                      const ChangedRun& run, ScanResult scanned, bool keep_curve)
{
    PredictedRun result;
    result.need = needOf(facts, basis, run, scanned);
    const Need& before = basis.before;
    const Need& after = result.need;
    Prediction& p = result.prediction;
    p.device = facts.index;
    p.before_peak = facts.replay.activeAt(facts.replay.peak);
    p.before_need = roundedBytes(before.requested.mid);
    p.before_reserved = roundedBytes(before.reserved.mid);
    p.after_peak = {scanned.largest.mid};
    const double slack = run.is_changed ? predictionSlack(static_cast<double>(p.before_peak.value),
                                                          static_cast<double>(scanned.largest.mid))
                                        : 0;
    p.after_low = roundedBytes(std::max(0.0, static_cast<double>(scanned.largest.low) - slack));
    p.after_high = roundedBytes(static_cast<double>(scanned.largest.high) + slack);
    p.after_peak_state = scanned.largest_mid_at;
    p.after_need = roundedBytes(after.requested.mid);
    p.after_need_low = roundedBytes(after.requested.low);
    p.after_need_high = roundedBytes(after.requested.high);
    p.after_reserved = roundedBytes(after.reserved.mid);
    p.after_reserved_low = roundedBytes(after.reserved.low);
    p.after_reserved_high = roundedBytes(after.reserved.high);
    p.capacity = basis.capacity.bytes;
    p.fits = fitsInto(after, basis.capacity);
    for (const auto& law : laws) {
        for (std::string& text : law->assumptions()) {
            p.assumptions.push_back(std::move(text));
        }
    }
    p.assumptions.insert(p.assumptions.end(), after.notes.begin(), after.notes.end());
    if (!p.capacity) {
        p.assumptions.push_back(basis.capacity.source);
    }
    if (keep_curve) {
        p.after_active = std::move(scanned.curve);
        ChangedRun recorded;
        recorded.failed = Amount::exactly(static_cast<double>(facts.moment.requested.value));
        p.before_budget = budgetOf(facts, recorded, facts.moment.state, p.before_need.value,
                                   p.before_reserved.value);
        const StateId state = facts.isOom() ? facts.moment.state : p.after_peak_state;
        p.after_budget = budgetOf(facts, run, state, p.after_need.value, p.after_reserved.value);
    }
    return result;
}

/// The buckets of which a change cuts the lifetimes of single allocations.
BucketSet eachAlone(std::span<const Change> changes)
{
    using label::Bucket;
    BucketSet buckets;
    for (const Change& change : changes) {
        switch (change.kind) {
        case ChangeKind::checkpointing:
        case ChangeKind::offload:
        case ChangeKind::lora:
        case ChangeKind::qlora:
            buckets |= bucketSet({Bucket::activation});
            break;
        case ChangeKind::set_to_none:
        case ChangeKind::accumulation:
            buckets |= bucketSet({Bucket::gradient});
            break;
        case ChangeKind::eval_accumulation:
            buckets |= bucketSet({Bucket::output});
            break;
        default:
            break; // sizes alone
        }
    }
    return buckets;
}

} // namespace

Laws lawsFor(const Facts& facts, std::span<const Change> changes, int gpus)
{
    std::vector<Change> ordered(changes.begin(), changes.end());
    std::ranges::stable_sort(ordered, {}, [](const Change& c) { return orderOf(c.kind); });
    for (const Change& change : ordered) {
        if (change.kind == ChangeKind::gpus) {
            gpus = countOf(change);
        }
    }
    Laws laws;
    for (const Change& change : ordered) {
        if (auto law = lawFor(facts, change, gpus)) {
            laws.push_back(std::move(law));
        }
    }
    return laws;
}

PredictedRun predictRun(const Facts& facts, const NeedBasis& basis, std::span<const Change> changes,
                        int gpus, bool keep_curve)
{
    const Laws laws = lawsFor(facts, changes, gpus);
    const ChangedRun run = applyLaws(facts, laws);
    ScanRequest request = requestForNeed(facts, basis);
    request.keep_curve = keep_curve;
    return assemble(facts, basis, laws, run, scan(facts, run, request), keep_curve);
}

std::vector<PredictedRun> predictRuns(const Facts& facts, const NeedBasis& basis,
                                      std::span<const std::vector<Change>> scenarios, int gpus)
{
    return predictRuns(facts, basis, sizeKinds(facts), scenarios, gpus);
}

std::vector<PredictedRun> predictRuns(const Facts& facts, const NeedBasis& basis,
                                      const SizeKinds& kinds,
                                      std::span<const std::vector<Change>> scenarios, int gpus)
{
    std::vector<Laws> laws;
    std::vector<ChangedRun> runs;
    for (const std::vector<Change>& changes : scenarios) {
        laws.push_back(lawsFor(facts, changes, gpus));
        runs.push_back(applyLaws(facts, laws.back(), kinds, eachAlone(changes)));
    }
    std::vector<ScanResult> scanned = scanAll(facts, runs, requestForNeed(facts, basis), &kinds);
    std::vector<PredictedRun> results;
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        results.push_back(assemble(facts, basis, laws[i], runs[i], std::move(scanned[i]), false));
    }
    return results;
}

Prediction predict(const Analysis& analysis, std::size_t device, std::span<const Change> changes)
{
    return WhatIf(analysis, device).predict(changes);
}

} // namespace tidemark::diagnose
