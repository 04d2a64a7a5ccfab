// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/need.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/facts/cut_off.h"
#include "core/diagnose/facts/run_case.h"
#include "core/diagnose/predict/oom_parts.h"
#include "core/message/texts.h"

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

using label::Phase;

std::int64_t largestAllocation(const Facts& facts)
{
    std::int64_t largest = facts.moment.requested.value;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        largest = std::max(largest, facts.bytes(AllocationId(i)));
    }
    return largest;
}

/// Whether a recording that began late holds no whole pass, and the allocator had far more when it
/// began than anything in it needs: the largest moment came before.
bool lacksThePeak(const Facts& facts)
{
    static constexpr double kFarMore = 1.5;
    const bool holds_a_pass = std::ranges::any_of(
        facts.passes, [](const Pass& p) { return p.isTraining() && p.complete; });
    return !facts.isOom() && !holds_a_pass && facts.replay.active.front() > 0
        && static_cast<double>(facts.replay.reservedAt(StateId::start()).value)
        > kFarMore * static_cast<double>(facts.moment.active.value);
}

/// Whether something is gone for a part of its life, as where it is made again.
bool leavesGaps(const ChangedRun& run)
{
    return run.lifetimes != nullptr && std::ranges::any_of(*run.lifetimes, [](const auto& turn) {
               return turn.count < 0 && turn.until > StateId::start();
           });
}

void fillReserved(const Facts& facts, const NeedBasis& basis, const ChangedRun& run, Need& need)
{
    // More of them, where things live at other times. What convolutions work in is large and short.
    const double other_holes = facts.convolves ? 1 : 0.3;
    const bool is_changed = run.is_changed;
    const auto overhead = static_cast<double>(overheadBefore(facts));
    const double before = is_changed ? std::max(1.0, basis.before.requested.mid) : 1.0;
    const double ratio = is_changed ? std::clamp(need.requested.mid / before, 0.0, 1.0) : 1.0;
    // Holes come with the blocks around them, so they shrink with the need; how many remain depends
    // on sizes and order. A change without effect leaves all of them. What is cached in a run that
    // did not die could have been given back, all of it at best.
    const double least = facts.isOom() ? std::max(0.5 * ratio, 1 - 5 * (1 - ratio)) : 0;
    need.reserved = {need.requested.low + overhead * least, need.requested.mid + overhead * ratio,
                     need.requested.high + overhead};
    // Which holes come with what no step has shown, or where things are gone in between, is not
    // known: one, say, as large as the largest block.
    const bool saw_step = need.known_to_follow == 0 || facts.labels.steps.size() > 1;
    if (is_changed && (!saw_step || (facts.isOom() && leavesGaps(run)))) {
        need.reserved.high += ratio * static_cast<double>(basis.largest);
    }
    if (is_changed) {
        // What keeps its size beside what shrinks may find no place in the segments of the others.
        need.reserved.high +=
            (run.lifetimes != nullptr || !run.additions.empty() ? other_holes * overhead : 0);
    }
}

/// What goes on growing, and that nobody knows for how long.
std::string growsNote(const Growth& growth)
{
    const Bytes each{growth.per_turn};
    switch (growth.kind) {
    case GrowthKind::leak:
        return say("Memory that is never freed grows by {} per step; the run's length is unknown.",
                   each);
    case GrowthKind::cache:
        return say("The KV cache grows by {} per token; the final length is unknown.", each);
    default:
        return growth.is_graph
            ? say("Kept graphs grow by {} per forward; the number of forwards is unknown.", each)
            : say("Collected evaluation results grow by {} per batch; the number of batches is "
                  "unknown.",
                  each);
    }
}

constexpr double kMargin = 0.02; // of the capacity, left free before "fits" is said

} // namespace

double predictionSlack(double before, double after)
{
    // Measured on pairs of runs that differ by one change: the laws miss up to 3 % of the
    // difference.
    static constexpr double kOfDifference = 0.03;
    static constexpr double kOfTotal = 0.003;
    return kOfDifference * std::abs(before - after) + kOfTotal * after;
}

std::optional<bool> fitsInto(const Need& need, const Capacity& capacity)
{
    if (!capacity.bytes) {
        return std::nullopt;
    }
    const auto room = static_cast<double>(capacity.bytes->value);
    if (need.reserved.low > static_cast<double>(capacity.most().value)) {
        return false;
    }
    if (need.is_open || need.reserved.high > room * (1 - kMargin)) {
        return std::nullopt;
    }
    return true;
}

Bytes roundedBytes(double bytes)
{
    return {std::llround(bytes)};
}

std::int64_t overheadBefore(const Facts& facts)
{
    const Moment& m = facts.moment;
    const std::int64_t overhead = m.is_oom
        ? m.reserved.value + m.tried.value - m.active.value - m.requested.value
        : m.reserved.value - m.active.value;
    return std::max<std::int64_t>(0, overhead);
}

NeedBasis needBasis(const Facts& facts)
{
    NeedBasis basis;
    basis.capacity = capacityOf(facts);
    basis.died_with = facts.isOom() ? recordedCapacity(facts) : Capacity{};
    basis.died_with = basis.died_with.bytes ? basis.died_with : basis.capacity;
    basis.largest = largestAllocation(facts);
    basis.growth = findGrowth(facts);
    if (facts.isOom()) {
        basis.like = findReferencePass(facts);
        basis.unseen = unseenOptimizer(facts);
        if (facts.phaseAtMoment() == Phase::optimizer) {
            basis.rest_of_temporaries = restOfTemporaries(facts);
        }
        basis.loss_gradients = lossGradientsBefore(facts);
        if (!sawCompletePass(facts)) {
            basis.completion = facts.phaseAtMoment() == Phase::forward
                ? completeFirstPass(facts)
                : completeFirstBackward(facts, basis.loss_gradients);
        }
    }
    const ChangedRun unchanged = unchangedRun(facts);
    const ScanResult scanned = scan(facts, {}, unchanged, requestForNeed(facts, basis));
    basis.before = needOf(facts, basis, unchanged, scanned);
    if (facts.isOom() && (!basis.like.adds_to_gradients || basis.like.perhaps_cleared)) {
        NeedBasis zeroing = basis;
        zeroing.like.adds_to_gradients = true;
        zeroing.like.perhaps_cleared = false;
        basis.before_zeroing = needOf(facts, zeroing, unchanged, scanned);
    }
    return basis;
}

ScanRequest requestForNeed(const Facts& facts, const NeedBasis& basis)
{
    return facts.isOom() ? requestForOom(facts, basis) : ScanRequest();
}

Need needOf(const Facts& facts, const NeedBasis& basis, const ChangedRun& run,
            const ScanResult& scanned)
{
    Need need;
    if (facts.isOom()) {
        fillOomNeed(facts, basis, run, scanned, need);
    } else {
        need.requested = scanned.largest;
        if (!holdsHistory(facts)) {
            need.is_open = true;
            need.notes.emplace_back(say("No history recorded, so the peak is unknown."));
        } else if (lacksThePeak(facts)) {
            need.is_open = true;
            need.notes.push_back(say("The recording starts late and has no complete step: {} was "
                                     "reserved before, so it misses the peak.",
                                     facts.replay.reservedAt(StateId::start())));
        }
    }
    const GrowthKind growth = basis.growth.kind;
    const bool still_grows = growth == GrowthKind::leak || growth == GrowthKind::cache
        || (growth == GrowthKind::evaluation && !run.bounds_evaluation);
    if (facts.isOom() && still_grows) {
        need.is_open = true;
        need.notes.push_back(growsNote(basis.growth));
    }
    if (run.is_changed) {
        const double slack = predictionSlack(basis.before.requested.mid, need.requested.mid);
        need.requested.low = std::max(0.0, need.requested.low - slack);
        need.requested.high += slack;
    } else if (need.known_to_follow > 0) {
        need.requested.high += predictionSlack(need.requested.mid, need.requested.mid);
    }
    fillReserved(facts, basis, run, need);
    return need;
}

} // namespace tidemark::diagnose
