// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/need.h"

#include "core/base/format.h"
#include "core/diagnose/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

constexpr double kMargin = 0.01; // of the capacity, left free before "fits" is said
constexpr double kUnseenStateCopies = 2; // Adam, by far the most common

/// The points of `requestForNeed`, in its order.
enum Point : std::size_t {
    kMoment,
    kStep, ///< Where the step of the moment begins.
    kPass, ///< Where the pass begins that the moment cuts off; its step without one.
    kLikePass, ///< Where the pass like it begins.
    kLikePlace, ///< The same place in that pass.
    kPointCount,
};
/// Its ranges.
enum Range : std::size_t {
    kWholeLikePass,
    kPassesOfStep, ///< From the begin of the moment's step to the end of its last pass.
    kRangeCount,
};

double& part(Amount& amount, Bound bound)
{
    return bound == Bound::low ? amount.low : bound == Bound::mid ? amount.mid : amount.high;
}

/// Where the step of the moment began; the start without steps.
StateId stepBegin(const Facts& facts)
{
    const auto after = std::ranges::upper_bound(facts.boundaries, facts.moment.state);
    return after == facts.boundaries.begin() ? StateId::start() : *std::prev(after);
}

bool sawCompletePass(const Facts& facts)
{
    return std::ranges::any_of(facts.passes, [&](const Pass& pass) {
        return pass.isTraining() && !pass.backward.isEmpty() && pass.complete
            && pass.end() <= facts.moment.state;
    });
}

/// One bound of the need of a run that died.
class OomNeed {
public:
    OomNeed(const Facts& facts, const NeedBasis& basis, const ChangedRun& run,
            const ScanResult& scanned, Bound bound)
        : m_facts(facts)
        , m_basis(basis)
        , m_run(run)
        , m_scanned(scanned)
        , m_bound(bound)
    {
    }

    /// What was live plus what was asked for.
    [[nodiscard]] double atMoment() const
    {
        return value(kMoment) + at(m_run.failed, m_bound);
    }
    /// With the rest of the optimizer state, where its making was cut off.
    [[nodiscard]] double withMissingState() const
    {
        return atMoment() + missingState();
    }
    /// A later step finds all of the state made, and needs as much in passing as a step before.
    [[nodiscard]] double laterStep() const
    {
        const double state_now = stateAt(kStep, stepBegin(m_facts));
        const double base = value(kStep) - state_now;
        const bool failed_is_state =
            m_facts.failed() != nullptr && m_facts.failed()->bucket == Bucket::optimizer_state;
        const double state = stateAt(kMoment, m_facts.moment.state)
            + (failed_is_state ? at(m_run.failed, m_bound) : 0) + missingState();
        return base + state + transientOfSteps();
    }
    /// At the end of the first backward all gradients stand, whatever became of the activations.
    [[nodiscard]] double endOfBackward() const
    {
        const auto gradients = static_cast<double>(m_facts.states.trainable);
        return value(kPass) + gradients * at(m_run.future_gradients, m_bound);
    }
    /// The pass goes on as an earlier one did, larger or smaller by what was seen so far.
    [[nodiscard]] double wholePass(const Likeness& like) const
    {
        if (like.pass == nullptr || cutPass(m_facts) == nullptr || m_run.failed.mid <= 0) {
            return 0;
        }
        const double base_then = value(kLikePass);
        const double base_now = value(kPass);
        // The request shrinks with the change as the one that failed does.
        const double request = static_cast<double>(like.same_request) * at(m_run.failed, m_bound)
            / static_cast<double>(std::max<std::int64_t>(1, m_facts.moment.requested.value));
        const double then = value(kLikePlace) + request - base_then;
        const double so_far = atMoment() - base_now;
        if (then <= 0 || so_far <= 0) {
            return 0;
        }
        const double peak_then = largestIn(kWholeLikePass) - base_then;
        // The further from what was seen, the less sure: other parts may grow by another law.
        const double ratio = std::max(1.0, std::min(so_far / then, like.ratio));
        const double slack = m_bound == Bound::high ? std::min(1.15, 1 + 0.25 * (ratio - 1)) : 1;
        return base_now + peak_then * ratio * slack;
    }
    /// A first pass goes on as its blocks did so far.
    [[nodiscard]] double forecastPass() const
    {
        if (cutPass(m_facts) == nullptr || m_basis.forecast.ratio <= 0) {
            return 0;
        }
        // What else a model does after its blocks, and blocks that keep less than the first ones.
        static constexpr double kMost = 1.3;
        static constexpr double kLeast = 0.6;
        const double base = value(kPass);
        const double so_far = std::max(0.0, atMoment() - base);
        const double slack = m_bound == Bound::high ? kMost : m_bound == Bound::mid ? 1 : kLeast;
        const double ratio = 1 + slack * (m_basis.forecast.ratio - 1);
        return base + so_far * ratio
            + slack * static_cast<double>(m_basis.forecast.logits_bytes)
            * at(m_run.future_logits, m_bound);
    }
    [[nodiscard]] double unseenState() const
    {
        return kUnseenStateCopies * static_cast<double>(m_facts.states.trainable)
            * at(m_run.future_state, m_bound);
    }

private:
    [[nodiscard]] double value(Point point) const
    {
        return static_cast<double>(at(m_scanned.points[point].active, m_bound));
    }
    [[nodiscard]] double largestIn(Range range) const
    {
        return static_cast<double>(at(m_scanned.ranges[range], m_bound));
    }
    /// Bytes of optimizer state.
    [[nodiscard]] double stateAt(Point point, StateId state) const
    {
        const std::int64_t recorded =
            m_facts.curves.at(state)[label::indexOf(Bucket::optimizer_state)];
        return static_cast<double>(recorded + at(m_scanned.points[point].state_change, m_bound));
    }
    [[nodiscard]] double missingState() const
    {
        return static_cast<double>(m_facts.states.optimizer_missing)
            * at(m_run.future_state, m_bound);
    }
    [[nodiscard]] double transientOfSteps() const
    {
        const auto largest = static_cast<double>(at(m_scanned.above_survivors, m_bound));
        // In the optimizer, this step's passes are done.
        return m_facts.phaseAtMoment() == Phase::optimizer
            ? std::max(largest, largestIn(kPassesOfStep) - value(kStep))
            : largest;
    }

    const Facts& m_facts;
    const NeedBasis& m_basis;
    const ChangedRun& m_run;
    const ScanResult& m_scanned;
    Bound m_bound;
};

bool isTrainingPhase(Phase phase)
{
    return phase == Phase::forward || phase == Phase::backward;
}

void fillOomNeed(const Facts& facts, const NeedBasis& basis, const ChangedRun& run,
                 const ScanResult& scanned, Need& need)
{
    const Phase phase = facts.phaseAtMoment();
    const bool has_complete = sawCompletePass(facts);
    const bool in_training = isTrainingPhase(phase) && cutPass(facts) != nullptr;
    const bool state_unseen = facts.states.optimizer == 0 && in_training
        && facts.states.trainable > 0 && facts.labels.steps.size() <= 1;
    double moment_mid = 0;
    for (const Bound bound : {Bound::low, Bound::mid, Bound::high}) {
        const OomNeed parts(facts, basis, run, scanned, bound);
        double largest = parts.withMissingState();
        if (!facts.boundaries.empty()) {
            largest = std::max(largest, parts.laterStep());
        }
        if (phase == Phase::backward && !has_complete && bound != Bound::low) {
            largest = std::max(largest, parts.endOfBackward());
        }
        largest = std::max(largest, parts.forecastPass());
        if (bound != Bound::low) {
            largest = std::max(largest, parts.wholePass(basis.like));
        }
        if (bound == Bound::high && state_unseen) {
            largest += parts.unseenState();
        }
        part(need.requested, bound) = largest;
        moment_mid = bound == Bound::mid ? parts.atMoment() : moment_mid;
    }
    need.requested.mid = std::max(need.requested.mid, need.requested.low);
    need.requested.high = std::max(need.requested.high, need.requested.mid);
    need.known_to_follow = std::llround(need.requested.mid - moment_mid);
    if (facts.states.optimizer_missing > 0) {
        need.notes.push_back(fmt::format(
            "The first optimizer step was still making its state: {} more were to come.",
            sizeText({facts.states.optimizer_missing})));
    }
    if (state_unseen) {
        need.notes.emplace_back(
            "No optimizer step was recorded; the upper end leaves room for Adam's state.");
    }
    if (phase == Phase::setup && facts.passes.empty()) {
        need.is_open = true;
        need.notes.emplace_back(
            "The model was still being made, so what the rest of it needs is not in the file.");
    }
    if (in_training && phase == Phase::forward && !has_complete && basis.forecast.ratio > 0) {
        need.notes.emplace_back("The first forward pass was cut off; what the rest of it needs is "
                                "taken from the blocks that ran and the weights of the others.");
    } else if (in_training && phase == Phase::forward && !has_complete) {
        need.is_open = true;
        need.notes.emplace_back(
            "The first forward pass was cut off, so what the rest of it needs is not in the "
            "file.");
    }
}

void fillReserved(const Facts& facts, const NeedBasis& basis, bool is_changed, Need& need)
{
    const auto overhead = static_cast<double>(overheadBefore(facts));
    const double before = is_changed ? std::max(1.0, basis.before.requested.mid) : 1.0;
    const double ratio = is_changed ? std::clamp(need.requested.mid / before, 0.0, 1.0) : 1.0;
    if (facts.isOom()) {
        // Holes come with the blocks around them, so they shrink with the need; how many remain
        // depends on sizes and order. A change without effect leaves all of them.
        const double least = std::max(0.5 * ratio, 1 - 5 * (1 - ratio));
        need.reserved = {need.requested.low + overhead * least,
                         need.requested.mid + overhead * ratio, need.requested.high + overhead};
    } else {
        // What is cached in a run that did not die could have been given back, all of it at best.
        need.reserved = {need.requested.low, need.requested.mid + overhead * ratio,
                         need.requested.high + overhead};
    }
}

} // namespace

std::int64_t overheadBefore(const Facts& facts)
{
    const Moment& m = facts.moment;
    const std::int64_t overhead = m.is_oom
        ? m.reserved.value + m.tried.value - m.active.value - m.requested.value
        : m.reserved.value - m.active.value;
    return std::max<std::int64_t>(0, overhead);
}

Capacity capacityOf(const Facts& facts)
{
    const UserInput& input = facts.analysis.input;
    const Moment& m = facts.moment;
    if (input.capacity) {
        return {input.capacity, "You gave it."};
    }
    if (m.is_oom) {
        if (facts.message && facts.message->allowed) {
            return {facts.message->allowed, "The message names a limit for this process."};
        }
        if (m.device_free >= m.tried) {
            return {
                Bytes{m.reserved.value + m.tried.value - 1},
                "The driver had more free than was asked for and refused all the same; counted is "
                "what it did give."};
        }
        return {m.reserved + m.device_free,
                "Reserved plus what the driver had free at the OOM event."};
    }
    if (facts.message) {
        const OomMessage& t = *facts.message;
        if (t.allowed) {
            return {t.allowed, "The message names a limit for this process."};
        }
        if (t.free && t.allocated && (t.unallocated || t.reserved)) {
            const Bytes reserved = t.reserved ? *t.reserved : *t.allocated + *t.unallocated;
            return {reserved + *t.free, "Reserved plus free of the message."};
        }
        if (t.total) {
            return {t.total, "The card's size in the message; what others hold is not known."};
        }
    }
    const trace::CaptureDevice* const captured =
        facts.snapshot.capture ? facts.snapshot.capture->device(facts.device.index) : nullptr;
    if (captured != nullptr && captured->capacity && captured->capacity->value > 0) {
        return {
            captured->capacity,
            "The capture module noted it: what was reserved plus what the driver had free, within "
            "the limit of the process."};
    }
    return {std::nullopt,
            "The file has no OOM event, so how much this process could get is not known; "
            "give a capacity."};
}

NeedBasis needBasis(const Facts& facts)
{
    NeedBasis basis;
    basis.capacity = capacityOf(facts);
    basis.growth = findGrowth(facts);
    if (facts.isOom()) {
        basis.like = findLikeness(facts);
        const bool in_first_forward =
            facts.phaseAtMoment() == Phase::forward && !sawCompletePass(facts);
        if (in_first_forward) {
            basis.forecast = forecastFirstPass(facts);
        }
    }
    const ChangedRun unchanged = applyLaws(facts, {});
    basis.before =
        needOf(facts, basis, unchanged, scan(facts, unchanged, requestForNeed(facts, basis)));
    return basis;
}

ScanRequest requestForNeed(const Facts& facts, const NeedBasis& basis)
{
    ScanRequest request;
    if (!facts.isOom()) {
        return request;
    }
    const StateId step = stepBegin(facts);
    const Pass* const now = cutPass(facts);
    const Pass* const like = basis.like.pass;
    request.points.resize(kPointCount);
    request.points[kMoment] = facts.moment.state;
    request.points[kStep] = step;
    request.points[kPass] = now == nullptr ? step : now->forward.begin;
    request.points[kLikePass] = like == nullptr ? step : like->forward.begin;
    request.points[kLikePlace] = basis.like.same_place;
    request.ranges.resize(kRangeCount);
    if (like != nullptr) {
        request.ranges[kWholeLikePass] = {like->forward.begin, like->end()};
    }
    if (facts.phaseAtMoment() == Phase::optimizer) {
        StateId end = step;
        for (const Pass& pass : facts.passes) {
            end = pass.end() <= facts.moment.state ? std::max(end, pass.end()) : end;
        }
        request.ranges[kPassesOfStep] = {step, end};
    }
    const auto& steps = facts.boundaries;
    if (!steps.empty() && steps.front() < step) {
        request.steps = {steps.front(), step}; // All before that of the moment.
    }
    return request;
}

Need needOf(const Facts& facts, const NeedBasis& basis, const ChangedRun& run,
            const ScanResult& scanned)
{
    Need need;
    if (facts.isOom()) {
        fillOomNeed(facts, basis, run, scanned, need);
    } else {
        need.requested = {static_cast<double>(scanned.largest.low),
                          static_cast<double>(scanned.largest.mid),
                          static_cast<double>(scanned.largest.high)};
    }
    const GrowthKind growth = basis.growth.kind;
    const bool still_grows = growth == GrowthKind::leak || growth == GrowthKind::cache
        || (growth == GrowthKind::evaluation && !run.bounds_evaluation);
    if (facts.isOom() && still_grows) {
        need.is_open = true;
        need.notes.push_back(
            fmt::format("{} grows by {} per {}; how long the run is to go on is not in the file.",
                        growth == GrowthKind::leak        ? "What is never freed"
                            : growth == GrowthKind::cache ? "The cache"
                                                          : "What evaluation collects",
                        sizeText({basis.growth.per_turn}),
                        growth == GrowthKind::leak        ? "step"
                            : growth == GrowthKind::cache ? "token"
                                                          : "batch"));
    }
    if (run.is_changed) {
        const double slack = predictionSlack(basis.before.requested.mid, need.requested.mid);
        need.requested.low = std::max(0.0, need.requested.low - slack);
        need.requested.high += slack;
    }
    fillReserved(facts, basis, run.is_changed, need);
    return need;
}

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
    if (need.reserved.low > room) {
        return false;
    }
    if (need.is_open || need.reserved.high > room * (1 - kMargin)) {
        return std::nullopt;
    }
    return true;
}

} // namespace tidemark::diagnose
