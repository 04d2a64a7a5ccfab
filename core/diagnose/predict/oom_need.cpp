// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/oom_need.h"

#include "core/base/format.h"
#include "core/diagnose/facts/cut_off.h"
#include "core/diagnose/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

/// The points of `requestForOom`, in its order.
enum Point : std::size_t {
    kMoment,
    kStep, ///< Where the step of the moment begins.
    kPass, ///< Where the pass begins that the moment cuts off; its step without one.
    kLikePass, ///< Where the pass like it begins.
    kLikePlace, ///< The same place in that pass.
    kLikeMost, ///< Where the most is live beside gradients in its backward.
    kFirstBlock, ///< Before the forecast's first block.
    kInFirstBlock, ///< With the first thing that it makes.
    kInLastBlock, ///< The same of the last one that had begun.
    kPointCount,
};
/// Its ranges.
enum Range : std::size_t {
    kLikeForward, ///< Of the pass like it.
    kLikeBackward,
    kLikeRest, ///< From its end to the begin of the moment's step.
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

    /// What was seen has to fit, too.
    [[nodiscard]] double film() const
    {
        return static_cast<double>(at(m_scanned.largest, m_bound));
    }
    /// What was live plus what was asked for, and what follows at once.
    [[nodiscard]] double atMoment() const
    {
        return atRequest() + missingLossGradient();
    }
    /// With the rest of the optimizer state, where its making was cut off.
    [[nodiscard]] double withMissingState() const
    {
        return atMoment() + missingState() + missingTransients();
    }
    /// A later step finds all of the state made, and needs as much in passing as a step before.
    [[nodiscard]] double laterStep(const Likeness& like) const
    {
        if (clearedGradients(like)) {
            return std::max(value(kStep), largestIn(kLikeRest));
        }
        const double state_now = bytesAt(kStep, stepBegin(m_facts), Bucket::optimizer_state);
        const double base = value(kStep) - state_now;
        const bool failed_is_state =
            m_facts.failed() != nullptr && m_facts.failed()->bucket == Bucket::optimizer_state;
        const double state = bytesAt(kMoment, m_facts.moment.state, Bucket::optimizer_state)
            + (failed_is_state ? at(m_run.failed, m_bound) : 0) + missingState();
        return base + state + transientOfSteps(like) - clearedBeforeBackward(like);
    }
    /// The passes after the first one in a step find all gradients, also those that the first,
    /// which was cut off, had not made yet.
    [[nodiscard]] double gradientsOfFirstPass() const
    {
        const double made = bytesAt(kMoment, m_facts.moment.state, Bucket::gradient)
            - bytesAt(kPass, cutPass(m_facts)->forward.begin, Bucket::gradient);
        return m_run.keeps_gradients ? std::max(0.0, allGradients() - made) : 0;
    }
    /// The first pass again, `pass` at its largest so far, where the step before has left all
    /// gradients and they are only zeroed.
    [[nodiscard]] double passBesideZeroed(const Likeness& like, double pass) const
    {
        const double there = bytesAt(kMoment, m_facts.moment.state, Bucket::gradient);
        const double at_moment = pass + std::max(0.0, allGradients() - there);
        const bool was_backward = !cutPass(m_facts)->backward.isEmpty();
        return std::max(at_moment, was_backward ? mostBesideGradients(like) + allGradients() : 0);
    }
    /// At the end of the first backward all gradients stand, whatever became of the activations.
    [[nodiscard]] double endOfBackward() const
    {
        return value(kPass) + allGradients();
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
        const double shrinks = at(m_run.failed, m_bound)
            / static_cast<double>(std::max<std::int64_t>(1, m_facts.moment.requested.value));
        const double request = static_cast<double>(like.same_request) * shrinks;
        const double results = static_cast<double>(like.older_results) * shrinks;
        const double then = value(kLikePlace) + request - base_then;
        const double so_far = atRequest() - base_now + results;
        if (then <= 0 || so_far <= 0) {
            return 0;
        }
        // The further from what was seen, the less sure: other parts may grow by another law.
        const double ratio = std::max(1.0, std::min(so_far / then, like.ratio));
        const double slack = m_bound == Bound::high ? std::min(1.15, 1 + 0.25 * (ratio - 1)) : 1;
        const double forward = (largestIn(kLikeForward) - base_then) * ratio * slack;
        const double backward = (largestOfBackward(like) - base_then) * ratio * slack;
        const double dropped = m_bound == Bound::high ? 0 : results;
        return base_now - dropped + std::max(forward, backward - clearedBeforeBackward(like));
    }
    /// A first pass goes on as its blocks did so far: each keeps as much.
    [[nodiscard]] double forecastPass() const
    {
        const Forecast& forecast = m_basis.forecast;
        if (cutPass(m_facts) == nullptr || forecast.blocks <= 0) {
            return 0;
        }
        // What else a model does after its blocks, and blocks that keep less than the first ones.
        static constexpr double kMost = 1.3;
        static constexpr double kLeast = 0.6;
        // What is made again goes with the first thing that the next block makes.
        const double since_first = value(kInLastBlock) - value(kInFirstBlock);
        const double per_block = since_first / static_cast<double>(forecast.begun - 1);
        const double before_last = value(kFirstBlock) + since_first;
        const double passing = forecast.passing * (before_last - value(kPass));
        const bool counts_logits = forecast.has_logits || m_bound == Bound::high;
        const double blocks = forecast.is_at_head ? value(kMoment)
                                                  : before_last - passing
                + static_cast<double>(forecast.blocks - forecast.begun + 1) * per_block;
        const double logits = static_cast<double>(counts_logits ? forecast.logits_bytes : 0)
            * at(m_run.future_logits, m_bound);
        const double after = std::max(logits, madeAgain(atMoment() - before_last - per_block));
        const double whole = blocks
            + std::max(after,
                       forecast.besideMatrix(at(m_run.future_matrices, m_bound),
                                             at(m_run.future_logits, m_bound)));
        const double slack = m_bound == Bound::high ? kMost : m_bound == Bound::mid ? 1 : kLeast;
        return atMoment() + slack * std::max(0.0, whole - atMoment());
    }
    /// Where blocks keep their results only one is made again in backward; then two gradients of
    /// the largest thing in it stand beside it. `whole`: what it keeps beyond the others.
    [[nodiscard]] double madeAgain(double whole) const
    {
        if (whole <= 0 || m_basis.forecast.is_at_head) {
            return 0;
        }
        const double shrinks = at(m_run.failed, m_bound)
            / static_cast<double>(std::max<std::int64_t>(1, m_facts.moment.requested.value));
        return whole
            + 2 * shrinks * static_cast<double>(m_facts.layers.layers.back().largest_bytes);
    }
    /// A first pass goes through layers whose weights are known.
    [[nodiscard]] double plannedPass() const
    {
        const LayerPlan& found = m_basis.forecast.plan;
        if (m_bound == Bound::low || !found.isKnown()) {
            return 0;
        }
        const double scale = std::max(0.0, atMoment() - value(kPass)) / found.made;
        const auto& layers = m_bound == Bound::high ? found.widest : found.layers;
        static constexpr double kMost = 1.05; // what else backward makes in passing
        const double largest =
            largestOfPass(found, layers, scale, at(m_run.future_gradients, m_bound));
        return value(kPass) + (m_bound == Bound::high ? kMost * largest + found.scratch : largest);
    }
    /// A first pass that was cut off in forward, where nothing tells what its rest is: nothing
    /// more, some, or as much as before and what backward makes of it in passing.
    [[nodiscard]] double unknownPass() const
    {
        static constexpr double kSome = 0.4; // of what it made so far
        static constexpr double kMost = 1.25;
        const double so_far = std::max(0.0, atMoment() - value(kPass));
        return atMoment()
            + so_far
            * (m_bound == Bound::low       ? 0
                   : m_bound == Bound::mid ? kSome
                                           : kMost);
    }
    /// An evaluation between two steps, if one follows.
    [[nodiscard]] double laterEvaluation() const
    {
        return m_run.later_evaluation > 0
            ? value(kPass) + static_cast<double>(m_run.later_evaluation)
            : 0;
    }
    /// The first optimizer step with all gradients, its state and what it makes in passing.
    [[nodiscard]] double firstStep() const
    {
        return endOfBackward() + unseenState() + stepTransients();
    }
    [[nodiscard]] double unseenState() const
    {
        return at(m_basis.unseen.copies, m_bound) * trainable() * at(m_run.future_state, m_bound);
    }

    /// Most programs clear what the step before has left before backward makes other gradients. The
    /// upper end has both.
    [[nodiscard]] double clearedBeforeBackward(const Likeness& like) const
    {
        return m_bound == Bound::high || adds(like) ? 0 : foundGradients(like);
    }

    /// Gradients of the step before, which the pass like this one did not find when it began.
    [[nodiscard]] double foundGradients(const Likeness& like) const
    {
        const Pass* const now = cutPass(m_facts);
        return like.pass == nullptr || now == nullptr
            ? 0
            : std::max(0.0,
                       bytesAt(kPass, now->forward.begin, Bucket::gradient)
                           - bytesAt(kLikePass, like.pass->forward.begin, Bucket::gradient));
    }

private:
    [[nodiscard]] bool adds(const Likeness& like) const
    {
        return like.adds_to_gradients && (m_bound != Bound::low || !like.perhaps_cleared);
    }
    [[nodiscard]] double trainable() const
    {
        const double most = m_bound == Bound::high ? m_facts.states.trainable_at_most : 1;
        return most * static_cast<double>(m_facts.states.trainable);
    }
    [[nodiscard]] double allGradients() const
    {
        return trainable() * at(m_run.future_gradients, m_bound);
    }
    [[nodiscard]] double atRequest() const
    {
        return value(kMoment) + at(m_run.failed, m_bound);
    }
    /// Whether the step cleared the gradients of the one before and then began a pass like the last
    /// of that. What the step before has added to them it adds to none: `wholePass` tells what the
    /// pass needs, and the optimizer needs as much as it did.
    [[nodiscard]] bool clearedGradients(const Likeness& like) const
    {
        const Pass* const now = cutPass(m_facts);
        const StateId step = stepBegin(m_facts);
        return now != nullptr && like.pass != nullptr && like.pass->end() <= step
            && gradientsAt(now->forward.begin) < gradientsAt(step);
    }
    [[nodiscard]] std::int64_t gradientsAt(StateId state) const
    {
        return m_facts.curves.at(state)[label::indexOf(Bucket::gradient)];
    }
    /// Of the pass like this one; without the gradients that it made, where this one adds to them.
    [[nodiscard]] double largestOfBackward(const Likeness& like) const
    {
        if (m_bound == Bound::high || !adds(like) || foundGradients(like) <= 0) {
            return largestIn(kLikeBackward);
        }
        return mostBesideGradients(like)
            + bytesAt(kLikePass, like.pass->forward.begin, Bucket::gradient);
    }
    [[nodiscard]] double mostBesideGradients(const Likeness& like) const
    {
        return value(kLikeMost) - bytesAt(kLikeMost, like.most_beside_gradients, Bucket::gradient)
            + static_cast<double>(like.gradient_then) * at(m_run.future_gradients, m_bound);
    }
    [[nodiscard]] double value(Point point) const
    {
        return static_cast<double>(at(m_scanned.points[point].active, m_bound));
    }
    [[nodiscard]] double largestIn(Range range) const
    {
        return static_cast<double>(at(m_scanned.ranges[range], m_bound));
    }
    /// Of optimizer state or gradients at a point, which is `state`.
    [[nodiscard]] double bytesAt(Point point, StateId state, Bucket bucket) const
    {
        const ScanResult::Point& found = m_scanned.points[point];
        const Totals& change =
            bucket == Bucket::optimizer_state ? found.state_change : found.gradient_change;
        return static_cast<double>(m_facts.curves.at(state)[label::indexOf(bucket)]
                                   + at(change, m_bound));
    }
    /// Adam takes one weight after the other and has two temporaries of its size, or takes all at
    /// once and has as much as the weights. What it is shows only once it runs.
    [[nodiscard]] double stepTransients() const
    {
        const auto largest = static_cast<double>(
            std::min(m_facts.states.largest_parameter, m_facts.states.trainable));
        const double recorded = m_bound == Bound::low ? 0
            : m_bound == Bound::mid
            ? 2 * largest
            : std::max(2 * largest, static_cast<double>(m_facts.states.trainable));
        return recorded * at(m_run.future_transients, m_bound)
            * (m_facts.states.optimizer > 0 ? 1 : at(m_basis.unseen.transients, m_bound));
    }
    /// What the optimizer step that was cut off had still to make in passing: the rest of it, or
    /// all where it was still making its state.
    [[nodiscard]] double missingTransients() const
    {
        const label::FailedRequest* failed = m_facts.failed();
        if (m_facts.phaseAtMoment() != Phase::optimizer || failed == nullptr) {
            return 0;
        }
        if (failed->bucket == Bucket::optimizer_state) {
            const bool makes_two = m_facts.states.copies >= 2; // the moments of Adam
            return makes_two ? stepTransients() : 0;
        }
        return static_cast<double>(m_basis.rest_of_temporaries)
            * at(m_run.future_transients, m_bound);
    }
    /// The gradient of the log-probabilities and that of the logits stand side by side.
    [[nodiscard]] double missingLossGradient() const
    {
        return m_bound == Bound::low || !isFirstLossGradient(m_facts) ? 0
                                                                      : at(m_run.failed, m_bound);
    }
    [[nodiscard]] double missingState() const
    {
        return static_cast<double>(m_facts.states.optimizer_missing)
            * at(m_run.future_state, m_bound);
    }
    [[nodiscard]] double transientOfSteps(const Likeness& like) const
    {
        const auto largest = static_cast<double>(at(m_scanned.above_survivors, m_bound));
        if (m_facts.phaseAtMoment() != Phase::optimizer) {
            return largest;
        }
        // This step's passes are done; where gradients are kept, those of the next find them.
        const double kept = adds(like)
            ? mostBesideGradients(like) + bytesAt(kMoment, m_facts.moment.state, Bucket::gradient)
            : 0;
        return std::max(largest, std::max(largestIn(kPassesOfStep), kept) - value(kStep));
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

/// Whether gradients that a pass finds are those of the step before rather than of its own.
bool isOfStepBefore(const Likeness& like)
{
    return !like.adds_to_gradients || like.perhaps_cleared;
}

} // namespace

void fillOomNeed(const Facts& facts, const NeedBasis& basis, const ChangedRun& run,
                 const ScanResult& scanned, Need& need)
{
    const Phase phase = facts.phaseAtMoment();
    const bool has_complete = sawCompletePass(facts);
    const bool in_training = isTrainingPhase(phase) && cutPass(facts) != nullptr;
    const bool state_unseen = facts.states.optimizer == 0 && in_training
        && facts.states.trainable > 0 && facts.labels.steps.size() <= 1;
    const bool in_first_forward = in_training && phase == Phase::forward && !has_complete;
    const bool rest_unknown = in_first_forward && !basis.forecast.isKnown();
    double moment_mid = 0;
    double found = 0; // gradients
    for (const Bound bound : {Bound::low, Bound::mid, Bound::high}) {
        const OomNeed parts(facts, basis, run, scanned, bound);
        double largest = std::max(parts.withMissingState(), parts.film());
        if (!facts.boundaries.empty() || phase == Phase::optimizer) {
            largest = std::max(largest, parts.laterStep(basis.like));
        }
        if (phase == Phase::backward && !has_complete && bound != Bound::low) {
            largest = std::max(largest, parts.endOfBackward());
        }
        const double pass = std::max({parts.atMoment(), parts.plannedPass(),
                                      rest_unknown ? parts.unknownPass() : parts.forecastPass()});
        const bool is_first_pass = in_training && !has_complete;
        largest = std::max(largest, pass + (is_first_pass ? parts.gradientsOfFirstPass() : 0));
        if (is_first_pass && basis.like.adds_to_gradients) {
            largest = std::max(largest, parts.passBesideZeroed(basis.like, pass));
        }
        if (bound != Bound::low) {
            largest = std::max(largest, parts.wholePass(basis.like));
        }
        if (bound == Bound::high) {
            largest = std::max(largest, parts.laterEvaluation());
        }
        if (state_unseen) {
            largest += parts.unseenState();
            largest = bound == Bound::low ? largest : std::max(largest, parts.firstStep());
        }
        part(need.requested, bound) = largest;
        moment_mid = bound == Bound::mid ? parts.atMoment() : moment_mid;
        found = bound == Bound::mid ? parts.foundGradients(basis.like) : found;
    }
    need.requested.mid = std::max(need.requested.mid, need.requested.low);
    need.requested.high = std::max(need.requested.high, need.requested.mid);
    need.known_to_follow = std::llround(need.requested.mid - moment_mid);
    if (facts.states.optimizer_missing > 0) {
        need.notes.push_back(fmt::format(
            "The first optimizer step was still making its state: {} more were to come.",
            sizeText({facts.states.optimizer_missing})));
    }
    if (phase == Phase::forward && found > 0 && isOfStepBefore(basis.like)) {
        need.notes.push_back(fmt::format(
            "Gradients of the step before are still there, {}. They are taken to be {}.",
            sizeText({std::llround(found)}),
            basis.like.perhaps_cleared
                ? "zeroed and to stay, as zero_grad() does by default before torch 2.0"
                : "cleared before backward makes others; zeroed ones stay and need more"));
    }
    if (state_unseen) {
        need.notes.push_back(basis.unseen.note);
    }
    if (facts.states.frozen_ahead > 0) {
        need.notes.push_back(
            fmt::format("The layers that ran first saved nothing, so what they and all before them "
                        "have, {} of weights, is taken to be frozen.",
                        sizeText({facts.states.frozen_ahead})));
    }
    if (phase == Phase::setup && facts.passes.empty()) {
        need.is_open = true;
        need.notes.emplace_back(
            "The model was still being made, so what the rest of it needs is not in the file.");
    }
    if (in_first_forward) {
        need.is_open = need.is_open || rest_unknown || basis.forecast.is_open;
        need.notes.emplace_back(forecastNote(basis.forecast));
    }
}

ScanRequest requestForOom(const Facts& facts, const NeedBasis& basis)
{
    ScanRequest request;
    const StateId step = stepBegin(facts);
    const Pass* const now = cutPass(facts);
    const Pass* const like = basis.like.pass;
    request.points.resize(kPointCount);
    request.points[kMoment] = facts.moment.state;
    request.points[kStep] = step;
    request.points[kPass] = now == nullptr ? step : now->forward.begin;
    request.points[kLikePass] = like == nullptr ? step : like->forward.begin;
    request.points[kLikePlace] = basis.like.same_place;
    request.points[kLikeMost] = basis.like.most_beside_gradients;
    request.points[kFirstBlock] = basis.forecast.first_begin;
    request.points[kInFirstBlock] = {basis.forecast.first_begin.value + 1};
    request.points[kInLastBlock] = {basis.forecast.last_begin.value + 1};
    request.ranges.resize(kRangeCount);
    if (like != nullptr) {
        request.ranges[kLikeForward] = {like->forward.begin, like->backward.begin};
        request.ranges[kLikeBackward] = {like->backward.begin, like->end()};
        if (like->end() < step) {
            request.ranges[kLikeRest] = {like->end(), step};
        }
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

} // namespace tidemark::diagnose
