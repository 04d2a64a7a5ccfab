// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/causes.h"
#include "core/replay/block_sizes.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

bool hasTrained(const CauseInput& in)
{
    return std::ranges::any_of(in.facts.passes, [](const Pass& p) { return !p.forward.isEmpty(); });
}

/// Weights, gradients and state as they will stand: what is known to come is counted.
std::int64_t statesToBe(const CauseInput& in)
{
    const StateBytes& s = in.facts.states;
    const bool in_backward = in.facts.phaseAtMoment() == Phase::backward;
    const std::int64_t gradients = in_backward ? std::max(s.gradients, s.trainable) : s.gradients;
    const label::FailedRequest* failed = in.facts.failed;
    const bool failed_is_state = failed != nullptr && failed->bucket == Bucket::optimizer_state;
    return s.parameters + gradients + s.optimizer + s.optimizer_missing
        + (failed_is_state ? in.facts.moment.requested.value : 0);
}

/// "Weights 1.64 GiB + gradients 0.39 GiB": what there is of them.
std::string statesInWords(const StateBytes& s)
{
    const OneUnit unit{{s.parameters}, {s.gradients}, {s.optimizer}};
    std::string text;
    const auto add = [&](const std::string& words, std::int64_t bytes) {
        if (bytes > 0) {
            text += (text.empty() ? "" : " + ") + words;
        }
    };
    add(say("Weights {}", unit({s.parameters})), s.parameters);
    add(say("gradients {}", unit({s.gradients})), s.gradients);
    add(say("optimizer state {}", unit({s.optimizer})), s.optimizer);
    return text;
}

/// Criterion: what stays from step to step fills most of the room by itself.
void addModelStates(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const std::int64_t states = statesToBe(in);
    const double share = in.share(states);
    if (share < 0.5) {
        return;
    }
    CauseWriter writer(out, in, Cause::model_states, std::min(0.88, 0.2 + 0.68 * share));
    writer.set("states", Bytes{states})
        .set("parts", statesInWords(in.facts.states))
        .say("sum", in.facts.moment.state);
    if (share > 1) {
        writer.say("over");
    }
    writer.finish();
}

/// Whether the place of the failed request allocated in earlier optimizer steps.
bool isKnownFromOptimizerSteps(const Facts& facts)
{
    const std::size_t place = facts.stacks.place(facts.failedStack());
    const auto& all = facts.allocations();
    for (std::size_t i = 0; i < all.count(); ++i) {
        if (facts.phase[i] == Phase::optimizer && !all.stack[i].isNone()
            && facts.stacks.place(all.stack[i]) == place) {
            return true;
        }
    }
    return false;
}

/// Without a stack: what an optimizer makes has the sizes of weights.
bool isSizeOfWeight(const Facts& facts)
{
    const auto& all = facts.allocations();
    for (std::size_t i = 0; i < all.count(); ++i) {
        if (facts.bucket(AllocationId(i)) == Bucket::parameter
            && replay::roundToBlock(all.requested[i]) == facts.moment.requested) {
            return true;
        }
    }
    return false;
}

/// Whether the failed request was one of the optimizer: its stack is, in its step or wherever state
/// is made, or its place allocated in such steps before. What only follows a step (a model that is
/// copied) is none of it.
bool isOptimizersRequest(const CauseInput& in)
{
    const Facts& facts = in.facts;
    const label::FailedRequest* failed = facts.failed;
    if (!facts.isOom() || failed == nullptr) {
        return false;
    }
    const StackId stack = facts.failedStack();
    const bool says_so = facts.stacks.kind(stack) == label::StackKind::optimizer
        || facts.stacks.traits(stack).has(label::Trait::optimizer);
    if (facts.phaseAtMoment() == Phase::optimizer) {
        return says_so
            || (stack.isNone() ? isSizeOfWeight(facts) : isKnownFromOptimizerSteps(facts));
    }
    return facts.phaseAtMoment() == Phase::setup
        && (says_so || failed->bucket == Bucket::optimizer_state);
}

/// Criterion: it died in the optimizer step, making state or temporaries of it; or state was still
/// missing.
void addOptimizerState(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const StateBytes& s = in.facts.states;
    const label::FailedRequest* failed = in.facts.failed;
    if (isOptimizersRequest(in)) {
        const bool transient = failed->role == label::Role::optimizer_transient
            || (failed->bucket == Bucket::temporary);
        CauseWriter writer(out, in, Cause::optimizer_state, transient ? 0.89 : 0.93);
        writer
            .set("what",
                 transient ? say("temporaries of the optimizer") : say("state of the optimizer"))
            .say("making", in.facts.moment.state, in.facts.failedStack());
        if (s.optimizer_missing > 0) {
            writer.set("made", Bytes{s.optimizer})
                .set("missing", Bytes{s.optimizer_missing})
                .say("missing");
        }
        writer.finish();
        return;
    }
    const double share = in.share(s.optimizer);
    if (share > 0.3) {
        CauseWriter writer(out, in, Cause::optimizer_state, std::min(0.8, 0.2 + 0.9 * share));
        writer.set("share", formatPercent(share)).say("largest", in.facts.moment.state);
        writer.finish();
    }
}

/// Criterion: a forward pass ran out beside gradients of an earlier backward that the first forward
/// pass did not have, and nothing else that came since is larger. Accumulation does so, and
/// gradients that are set to zero and not to None.
void addKeptGradients(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const Facts& facts = in.facts;
    const auto first = std::ranges::find_if(
        facts.passes, [](const Pass& p) { return p.isTraining() && p.complete; });
    const Pass* cut = cutPass(facts);
    if (!facts.isOom() || facts.phaseAtMoment() != Phase::forward || cut == nullptr
        || first == facts.passes.end()) {
        return;
    }
    const auto came = [&](Bucket bucket) {
        return facts.bucketAtMoment(bucket)
            - facts.curves.at(first->forward.begin)[label::indexOf(bucket)];
    };
    const std::int64_t gradients = came(Bucket::gradient);
    if (in.share(gradients) < 0.15 || gradients < came(Bucket::optimizer_state)) {
        return;
    }
    CauseWriter writer(out, in, Cause::gradients, 0.9);
    writer.say("kept", facts.moment.state);
    writer.finish();
}

/// Criterion: it died in the first backward while making gradients, with few activations left to
/// blame.
void addGradients(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const StateBytes& s = in.facts.states;
    const label::FailedRequest* failed = in.facts.failed;
    if (!in.facts.isOom() || in.facts.phaseAtMoment() != Phase::backward || failed == nullptr) {
        addKeptGradients(in, out);
        return;
    }
    const bool makes_gradient = failed->bucket == Bucket::gradient;
    const double share = in.share(std::max(s.gradients, makes_gradient ? s.trainable : 0));
    if (share < 0.15) {
        return;
    }
    // Where backward went through before, gradients fitted: what came since is to blame.
    const bool fitted_before = std::ranges::any_of(in.facts.passes, &Pass::isWholeTraining);
    static constexpr double kFittedBefore = 0.6;
    CauseWriter writer(
        out, in, Cause::gradients,
        std::min(fitted_before ? kFittedBefore : 0.9, 0.35 + share + (makes_gradient ? 0.15 : 0)));
    writer.say(makes_gradient ? "making" : "live", in.facts.moment.state);
    if (s.trainable > s.gradients) {
        writer.say("missing");
    }
    writer.finish();
}

/// Criterion: no forward pass had begun, so only the making or loading of the model ran.
void addLoading(const CauseInput& in, std::vector<CauseFinding>& out)
{
    if (!in.facts.isOom() || hasTrained(in) || in.facts.phaseAtMoment() != Phase::setup) {
        return;
    }
    CauseWriter writer(out, in, Cause::loading, 0.9);
    writer.say("setup", in.facts.moment.state);
    writer.finish();
}

/// Criterion: workspaces hold a good part of the room, or one more of them was asked for.
void addWorkspace(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const std::int64_t bytes = in.facts.bucketAtMoment(Bucket::workspace);
    const label::FailedRequest* failed = in.facts.failed;
    const bool one_more = failed != nullptr && failed->bucket == Bucket::workspace;
    const double share = in.share(bytes + (one_more ? in.facts.moment.requested.value : 0));
    if (share > 0.2 || (one_more && share > 0.05)) {
        CauseWriter writer(out, in, Cause::compile_workspace,
                           std::min(0.9, 0.35 + share + (one_more ? 0.2 : 0)));
        writer.set("bytes", Bytes{bytes}).say("share", in.facts.moment.state);
        writer.finish();
    }
}

} // namespace

void addStateCauses(const CauseInput& in, std::vector<CauseFinding>& out)
{
    addModelStates(in, out);
    addOptimizerState(in, out);
    addGradients(in, out);
    addLoading(in, out);
    addWorkspace(in, out);
}

} // namespace tidemark::diagnose
