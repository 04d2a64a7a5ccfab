// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/oom_parts.h"

#include "core/diagnose/facts/cut_off.h"

#include <algorithm>

namespace tidemark::diagnose {

using label::Bucket;
using label::Phase;

StateId stepBegin(const Facts& facts)
{
    const auto after = std::ranges::upper_bound(facts.boundaries, facts.moment.state);
    return after == facts.boundaries.begin() ? StateId::start() : *std::prev(after);
}

double OomParts::recordedPeak() const
{
    return at(m_scanned.largest, m_bound);
}

double OomParts::atMoment() const
{
    return atRequest() + missingLossGradient();
}

double OomParts::withMissingState() const
{
    return atMoment() + missingState() + missingTransients();
}

double OomParts::laterStep(const ReferencePass& like) const
{
    if (clearedGradients(like)) {
        return std::max(value(kStep), largestIn(kLikeRest));
    }
    const double state_now = bytesAt(kStep, stepBegin(m_facts), Bucket::optimizer_state);
    const double base = value(kStep) - state_now;
    const bool failed_is_state =
        m_facts.failed != nullptr && m_facts.failed->bucket == Bucket::optimizer_state;
    const double state = bytesAt(kMoment, m_facts.moment.state, Bucket::optimizer_state)
        + (failed_is_state ? at(m_run.failed, m_bound) : 0) + missingState();
    return base + state + transientOfSteps(like) - clearedBeforeBackward(like);
}

double OomParts::gradientsOfFirstPass() const
{
    const double made = bytesAt(kMoment, m_facts.moment.state, Bucket::gradient)
        - bytesAt(kPass, cutPass(m_facts)->forward.begin, Bucket::gradient);
    return m_run.keeps_gradients ? std::max(0.0, allGradients() - made) : 0;
}

double OomParts::peakWithZeroedGradients(const ReferencePass& like, double pass) const
{
    const double there = bytesAt(kMoment, m_facts.moment.state, Bucket::gradient);
    const double at_moment = pass + std::max(0.0, allGradients() - there);
    const bool was_backward = !cutPass(m_facts)->backward.isEmpty();
    return std::max(at_moment, was_backward ? mostBesideGradients(like) + allGradients() : 0);
}

double OomParts::endOfBackward() const
{
    return value(kPass) + allGradients();
}

double OomParts::wholePass(const ReferencePass& like) const
{
    if (like.pass == nullptr || cutPass(m_facts) == nullptr || m_run.failed.mid <= 0) {
        return 0;
    }
    const double base_then = value(kLikePass);
    const double base_now = value(kPass);
    // The request shrinks with the change as the one that failed does.
    const double shrinks = ratioOfRequest();
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

double OomParts::completedPass() const
{
    const PassCompletion& completion = m_basis.completion;
    if (cutPass(m_facts) == nullptr || completion.blocks <= 0) {
        return 0;
    }
    // What else a model does after its blocks, and blocks that keep less than the first ones.
    static constexpr double kMost = 1.3;
    static constexpr double kLeast = 0.6;
    // What is made again goes with the first thing that the next block makes.
    const double since_first = value(kInLastBlock) - value(kInFirstBlock);
    const double per_block = since_first / static_cast<double>(completion.begun - 1);
    const double before_last = value(kFirstBlock) + since_first;
    const double passing = completion.passing * (before_last - value(kPass));
    const double blocks = completion.is_at_head ? value(kMoment)
                                                : before_last - passing
            + static_cast<double>(completion.blocks - completion.begun + 1) * per_block;
    const double logits =
        static_cast<double>(completion.logits_bytes) * at(m_run.future_logits, m_bound);
    // A block that was begun with more than the others keep: backward has two gradients of the
    // largest thing in it.
    const bool makes_more = !completion.is_at_head && atMoment() > before_last + per_block;
    const double gradients = makes_more
        ? 2 * ratioOfRequest() * static_cast<double>(m_facts.layers.layers.back().largest_bytes)
        : 0;
    const double whole = blocks
        + std::max({logits, gradients,
                    completion.besideMatrix(at(m_run.future_matrices, m_bound),
                                            at(m_run.future_logits, m_bound), ratioOfRequest())});
    const double slack = m_bound == Bound::high ? kMost : m_bound == Bound::mid ? 1 : kLeast;
    return atMoment() + slack * std::max(0.0, whole - atMoment());
}

double OomParts::plannedPass() const
{
    const PassLayers& found = m_basis.completion.pass_layers;
    if (m_bound == Bound::low || !found.isKnown()) {
        return 0;
    }
    const double outputs = std::max(0.0, atMoment() - value(kPass)) / found.made;
    const auto& layers = m_bound == Bound::high ? found.widest : found.layers;
    static constexpr double kMost = 1.05; // what else backward makes in passing
    const double largest =
        largestOfPass(found, layers, outputs, at(m_run.future_gradients, m_bound));
    return value(kPass) + (m_bound == Bound::high ? kMost * largest : largest);
}

double OomParts::unknownPass() const
{
    static constexpr double kSome = 0.4; // of what it made so far, where no weights tell
    static constexpr double kPassing = 0.65;
    static constexpr double kMore = 1.5;
    const double rest = m_basis.completion.rest > 0 ? m_basis.completion.rest : kSome;
    const double so_far = std::max(0.0, atMoment() - value(kPass));
    return atMoment()
        + so_far
        * (m_bound == Bound::low       ? 0
               : m_bound == Bound::mid ? rest
                                       : kPassing + kMore * rest);
}

double OomParts::laterEvaluation() const
{
    return m_run.later_evaluation > 0 ? value(kPass) + static_cast<double>(m_run.later_evaluation)
                                      : 0;
}

double OomParts::firstStep() const
{
    return endOfBackward() + unseenState() + stepTransients();
}

double OomParts::unseenState() const
{
    return at(m_basis.unseen.copies, m_bound) * trainable() * at(m_run.future_state, m_bound);
}

double OomParts::clearedBeforeBackward(const ReferencePass& like) const
{
    return m_bound == Bound::high || adds(like) ? 0 : foundGradients(like);
}

double OomParts::foundGradients(const ReferencePass& like) const
{
    const Pass* const now = cutPass(m_facts);
    return like.pass == nullptr || now == nullptr
        ? 0
        : std::max(0.0,
                   bytesAt(kPass, now->forward.begin, Bucket::gradient)
                       - bytesAt(kLikePass, like.pass->forward.begin, Bucket::gradient));
}

bool OomParts::adds(const ReferencePass& like) const
{
    return like.adds_to_gradients && (m_bound != Bound::low || !like.perhaps_cleared);
}

double OomParts::trainable() const
{
    const double most = m_bound == Bound::high ? m_facts.states.trainable_at_most : 1;
    return most * static_cast<double>(m_facts.states.trainable);
}

double OomParts::allGradients() const
{
    return trainable() * at(m_run.future_gradients, m_bound);
}

double OomParts::atRequest() const
{
    return value(kMoment) + at(m_run.failed, m_bound);
}

bool OomParts::clearedGradients(const ReferencePass& like) const
{
    const Pass* const now = cutPass(m_facts);
    const StateId step = stepBegin(m_facts);
    return now != nullptr && like.pass != nullptr && like.pass->end() <= step
        && gradientsAt(now->forward.begin) < gradientsAt(step);
}

std::int64_t OomParts::gradientsAt(StateId state) const
{
    return m_facts.curves.at(state)[label::indexOf(Bucket::gradient)];
}

double OomParts::largestOfBackward(const ReferencePass& like) const
{
    if (m_bound == Bound::high || !adds(like) || foundGradients(like) <= 0) {
        return largestIn(kLikeBackward);
    }
    return mostBesideGradients(like)
        + bytesAt(kLikePass, like.pass->forward.begin, Bucket::gradient);
}

double OomParts::mostBesideGradients(const ReferencePass& like) const
{
    return value(kLikeMost) - bytesAt(kLikeMost, like.most_beside_gradients, Bucket::gradient)
        + static_cast<double>(like.gradient_then) * at(m_run.future_gradients, m_bound);
}

double OomParts::value(OomPoint point) const
{
    return at(m_scanned.points[point].active, m_bound);
}

double OomParts::largestIn(OomRange range) const
{
    return at(m_scanned.ranges[range], m_bound);
}

double OomParts::ratioOfRequest() const
{
    return at(m_run.failed, m_bound)
        / static_cast<double>(std::max<std::int64_t>(1, m_facts.moment.requested.value));
}

double OomParts::bytesAt(OomPoint point, StateId state, Bucket bucket) const
{
    const ScanResult::Point& found = m_scanned.points[point];
    const Amount& change =
        bucket == Bucket::optimizer_state ? found.state_change : found.gradient_change;
    return static_cast<double>(m_facts.curves.at(state)[label::indexOf(bucket)])
        + at(change, m_bound);
}

double OomParts::stepTransients() const
{
    const auto largest =
        static_cast<double>(std::min(m_facts.states.largest_parameter, m_facts.states.trainable));
    const double recorded = m_bound == Bound::low ? 0
        : m_bound == Bound::mid
        ? 2 * largest
        : std::max(2 * largest, static_cast<double>(m_facts.states.trainable));
    return recorded * at(m_run.future_transients, m_bound)
        * (m_facts.states.optimizer > 0 ? 1 : at(m_basis.unseen.transients, m_bound));
}

double OomParts::missingTransients() const
{
    const label::FailedRequest* failed = m_facts.failed;
    if (m_facts.phaseAtMoment() != Phase::optimizer || failed == nullptr) {
        return 0;
    }
    if (failed->bucket == Bucket::optimizer_state) {
        const bool makes_two = m_facts.states.copies >= 2; // the moments of Adam
        return makes_two ? stepTransients() : 0;
    }
    return static_cast<double>(m_basis.rest_of_temporaries) * at(m_run.future_transients, m_bound);
}

double OomParts::missingLossGradient() const
{
    return m_bound == Bound::low || m_basis.loss_gradients != 0 ? 0 : at(m_run.failed, m_bound);
}

double OomParts::missingState() const
{
    return static_cast<double>(m_facts.states.optimizer_missing) * at(m_run.future_state, m_bound);
}

double OomParts::transientOfSteps(const ReferencePass& like) const
{
    const double largest = at(m_scanned.above_survivors, m_bound);
    if (m_facts.phaseAtMoment() != Phase::optimizer) {
        return largest;
    }
    // This step's passes are done; where gradients are kept, those of the next find them.
    const double kept = adds(like)
        ? mostBesideGradients(like) + bytesAt(kMoment, m_facts.moment.state, Bucket::gradient)
        : 0;
    return std::max(largest, std::max(largestIn(kPassesOfStep), kept) - value(kStep));
}

} // namespace tidemark::diagnose
