// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/facts/cut_off.h"
#include "core/diagnose/predict/oom_parts.h"
#include "core/message/texts.h"

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

double& part(Amount& amount, Bound bound)
{
    return bound == Bound::low ? amount.low : bound == Bound::mid ? amount.mid : amount.high;
}

bool isTrainingPhase(Phase phase)
{
    return phase == Phase::forward || phase == Phase::backward;
}

/// Whether gradients that a pass finds are those of the step before rather than of its own.
bool isOfStepBefore(const ReferencePass& like)
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
    const bool rest_unknown = in_first_forward && !basis.completion.isKnown();
    double moment_mid = 0;
    double found = 0; // gradients
    for (const Bound bound : {Bound::low, Bound::mid, Bound::high}) {
        const OomParts parts(facts, basis, run, scanned, bound);
        double largest = std::max(parts.withMissingState(), parts.recordedPeak());
        if (!facts.boundaries.empty() || phase == Phase::optimizer) {
            largest = std::max(largest, parts.laterStep(basis.like));
        }
        if (phase == Phase::backward && !has_complete && bound != Bound::low) {
            largest = std::max(largest, parts.endOfBackward());
        }
        const double pass = std::max({parts.atMoment(), parts.plannedPass(),
                                      rest_unknown ? parts.unknownPass() : parts.completedPass()});
        const bool is_first_pass = in_training && !has_complete;
        largest = std::max(largest, pass + (is_first_pass ? parts.gradientsOfFirstPass() : 0));
        if (is_first_pass && basis.like.adds_to_gradients) {
            largest = std::max(largest, parts.peakWithZeroedGradients(basis.like, pass));
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
        need.notes.push_back(
            say("The first optimizer step was still allocating state: {} was still to come.",
                Bytes{facts.states.optimizer_missing}));
    }
    if (phase == Phase::forward && found > 0 && isOfStepBefore(basis.like)) {
        const Bytes gradients{std::llround(found)};
        need.notes.push_back(
            basis.like.perhaps_cleared
                ? say("The previous step's gradients are still allocated, {}: assumed to be zeroed "
                      "and kept, the default of zero_grad() before torch 2.0.",
                      gradients)
                : say("The previous step's gradients are still allocated, {}: assumed to be freed "
                      "before backward allocates new ones; zeroed ones would stay and need more.",
                      gradients));
    }
    if (state_unseen) {
        need.notes.push_back(basis.unseen.note);
    }
    if (facts.states.frozen_ahead > 0) {
        need.notes.push_back(say("The first layers saved nothing, so their weights and those "
                                 "before, {}, are assumed frozen.",
                                 Bytes{facts.states.frozen_ahead}));
    }
    if (phase == Phase::setup && facts.passes.empty()) {
        need.is_open = true;
        need.notes.emplace_back(
            say("The model was still being created; what the rest needs is unknown."));
    }
    if (in_first_forward) {
        need.is_open = need.is_open || basis.completion.blocks == 0;
        need.notes.emplace_back(completionNote(basis.completion));
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
    request.points[kFirstBlock] = basis.completion.first_begin;
    request.points[kInFirstBlock] = {basis.completion.first_begin.value + 1};
    request.points[kInLastBlock] = {basis.completion.last_begin.value + 1};
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
