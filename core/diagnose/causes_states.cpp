// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/diagnose/causes.h"

#include <fmt/format.h>

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
    const label::FailedRequest* failed = in.facts.failed();
    const bool failed_is_state = failed != nullptr && failed->bucket == Bucket::optimizer_state;
    return s.parameters + gradients + s.optimizer + s.optimizer_missing
        + (failed_is_state ? in.facts.moment.requested.value : 0);
}

/// "Weights 1.64 GiB + gradients 0.39 GiB": what there is of them.
std::string statesInWords(const StateBytes& s)
{
    std::string text;
    const auto add = [&](std::string_view name, std::int64_t bytes) {
        if (bytes > 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : " + ", name, sizeText({bytes}));
        }
    };
    add("weights", s.parameters);
    add("gradients", s.gradients);
    add("optimizer state", s.optimizer);
    if (!text.empty() && text.front() == 'w') {
        text.front() = 'W';
    }
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
    writer.set("states", sizeText({states}))
        .set("parts", statesInWords(in.facts.states))
        .say("sum", in.facts.moment.state);
    if (share > 1) {
        writer.say("over");
    }
}

/// Criterion: it died in the optimizer step, making state or temporaries of it; or state was still
/// missing.
void addOptimizerState(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const StateBytes& s = in.facts.states;
    const label::FailedRequest* failed = in.facts.failed();
    if (in.facts.isOom() && in.facts.phaseAtMoment() == Phase::optimizer && failed != nullptr) {
        const bool makes_state = failed->bucket == Bucket::optimizer_state;
        CauseWriter writer(out, in, Cause::optimizer_state, makes_state ? 0.93 : 0.89);
        writer.set("what", makes_state ? "state of the optimizer" : "temporaries of the optimizer")
            .say("making", in.facts.moment.state,
                 in.facts.device.events.stack[in.facts.moment.oom.index()]);
        if (s.optimizer_missing > 0) {
            writer.set("made", sizeText({s.optimizer}))
                .set("missing", sizeText({s.optimizer_missing}))
                .say("missing");
        }
        return;
    }
    const double share = in.share(s.optimizer);
    if (share > 0.3) {
        CauseWriter writer(out, in, Cause::optimizer_state, std::min(0.8, 0.2 + 0.9 * share));
        writer.set("share", formatPercent(share)).say("largest", in.facts.moment.state);
    }
}

/// Criterion: it died in backward while making gradients, with few activations left to blame.
void addGradients(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const StateBytes& s = in.facts.states;
    const label::FailedRequest* failed = in.facts.failed();
    if (!in.facts.isOom() || in.facts.phaseAtMoment() != Phase::backward || failed == nullptr) {
        return;
    }
    const bool makes_gradient = failed->bucket == Bucket::gradient;
    const double share = in.share(std::max(s.gradients, makes_gradient ? s.trainable : 0));
    if (share < 0.15) {
        return;
    }
    CauseWriter writer(out, in, Cause::gradients,
                       std::min(0.9, 0.35 + share + (makes_gradient ? 0.15 : 0)));
    if (makes_gradient) {
        writer.say("making", in.facts.moment.state);
    }
    if (s.trainable > s.gradients) {
        writer.say("missing");
    }
}

/// Criterion: no forward pass had begun, so only the making or loading of the model ran.
void addLoading(const CauseInput& in, std::vector<CauseFinding>& out)
{
    if (!in.facts.isOom() || hasTrained(in) || in.facts.phaseAtMoment() != Phase::setup) {
        return;
    }
    CauseWriter writer(out, in, Cause::loading, 0.9);
    writer.say("setup", in.facts.moment.state);
}

/// Criterion: workspaces hold a good part of the room, or one more of them was asked for.
void addWorkspace(const CauseInput& in, std::vector<CauseFinding>& out)
{
    const std::int64_t bytes = in.facts.bucketAtMoment(Bucket::workspace);
    const label::FailedRequest* failed = in.facts.failed();
    const bool one_more = failed != nullptr && failed->bucket == Bucket::workspace;
    const double share = in.share(bytes + (one_more ? in.facts.moment.requested.value : 0));
    if (share > 0.2 || (one_more && share > 0.05)) {
        CauseWriter writer(out, in, Cause::compile_workspace,
                           std::min(0.9, 0.35 + share + (one_more ? 0.2 : 0)));
        writer.set("bytes", sizeText({bytes})).say("share", in.facts.moment.state);
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
