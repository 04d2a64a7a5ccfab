// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/causes/findings.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/curves/step_growth.h"
#include "core/diagnose/facts/forwards_only.h"
#include "core/label/stacks/stack_text.h"
#include "core/label/stacks/torch_release.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

/// Optimizer state, bytes, that was there when a pass began.
std::int64_t stateBefore(const Facts& facts, const Pass& pass)
{
    return facts.curves.at(pass.forward.begin)[label::indexOf(Bucket::optimizer_state)];
}

double trustIn(const CauseInput& in, Bucket bucket)
{
    return trustInLive(in.facts, [&](AllocationId a) { return in.facts.bucket(a) == bucket; });
}

/// What the request that failed was for, and where.
void addRequest(const CauseInput& in, std::vector<Finding>& out)
{
    const label::FailedRequest* failed = in.facts.failed;
    if (failed == nullptr || failed->bucket == Bucket::unknown) {
        return;
    }
    const std::string place =
        label::linesText(in.facts.snapshot, in.facts.stacks.lines(in.facts.failedStack()));
    const Bytes size = in.facts.moment.requested;
    std::string what(label::bucketNoun(failed->bucket));
    if (failed->role != label::Role::none) {
        what += fmt::format(" ({})", label::roleWords(failed->role));
    }
    std::string text = place.empty()
        ? say("The failed request, {}, was for {}.", size, what)
        : say("The failed request, {}, was for {}, from {}.", size, what, place);
    out.push_back({"request",
                   {std::move(text), in.facts.moment.state, in.facts.failedStack()},
                   in.facts.moment.requested,
                   failed->confidence / 100.0});
}

/// M14: at the start of the first backward all activations live, and gradients come on top.
void addFirstBackward(const CauseInput& in, std::vector<Finding>& out)
{
    const bool any_before = std::ranges::any_of(in.facts.passes, &Pass::isWholeTraining);
    if (!in.facts.isOom() || in.facts.phaseAtMoment() != Phase::backward || any_before
        || in.facts.stepAtMoment() > 1 || in.share(in.measures.saved.live()) < 0.05) {
        return;
    }
    out.push_back({"first-backward",
                   {say("First backward: it began with {} of activations and adds gradients while "
                        "freeing them. A smaller batch or checkpointing helps.",
                        Bytes{in.measures.saved.live()}),
                    in.facts.moment.state,
                    {}},
                   {in.measures.saved.live()},
                   trustIn(in, Bucket::activation)});
}

/// M17: the state came after the first pass, so the second needs more than the first.
void addSecondStep(const CauseInput& in, std::vector<Finding>& out)
{
    const auto first = std::ranges::find_if(in.facts.passes, &Pass::isWholeTraining);
    const bool in_pass =
        in.facts.phaseAtMoment() == Phase::forward || in.facts.phaseAtMoment() == Phase::backward;
    if (!in.facts.isOom() || !in_pass || first == in.facts.passes.end()) {
        return;
    }
    const std::int64_t then = stateBefore(in.facts, *first);
    const std::int64_t came = in.facts.states.optimizer - then;
    if (in.share(came) < 0.05) {
        return;
    }
    out.push_back({"second-step",
                   {say("The optimizer allocated {} of state after the first pass, so later steps "
                        "need that much more.",
                        Bytes{came}),
                    first->end(),
                    {}},
                   {came},
                   trustIn(in, Bucket::optimizer_state)});
}

/// M17: what the second step needs on top is not in the file.
void addShortRecording(const CauseInput& in, std::vector<Finding>& out)
{
    const auto whole = std::ranges::count_if(in.facts.passes, &Pass::isWholeTraining);
    const bool trains = std::ranges::any_of(
        in.facts.passes, [](const Pass& p) { return p.isTraining() && !p.backward.isEmpty(); });
    const bool was_trained_before = in.facts.states.optimizer > 0
        && in.facts.labels.steps.size() >= 2; // state from before the trace
    if (!trains || whole >= 2 || was_trained_before) {
        return;
    }
    const auto first =
        std::ranges::find_if(in.facts.passes, [](const Pass& p) { return p.isTraining(); });
    const std::int64_t then = stateBefore(in.facts, *first);
    const StateBytes& states = in.facts.states;
    const auto& phases = in.facts.labels.phases;
    const bool has_stepped =
        std::ranges::adjacent_find(phases,
                                   [](const auto& a, const auto& b) {
                                       return a.phase == Phase::optimizer && b.phase != a.phase;
                                   })
        != phases.end();
    const bool had_state =
        (has_stepped && states.optimizer > 0) || (then > 0 && 2 * then >= states.optimizer);
    const bool has_optimizer = std::ranges::any_of(in.facts.ids(), [&](AllocationId a) {
        return in.facts.bucket(a) == Bucket::optimizer_state;
    });
    std::string text = had_state ? say("The recording has no complete second step, so growth "
                                       "between steps or a longer batch cannot be seen.")
        : has_optimizer          ? say("The recording has no complete second step. Later ones add "
                                                "optimizer state, estimated from parameter sizes.")
                        : say("The recording has no complete second step, and no optimizer "
                              "state. If an optimizer follows, it adds its state.");
    out.push_back({"no-second-step",
                   {std::move(text), in.facts.moment.state, {}},
                   {0},
                   trustInLive(in.facts, [](AllocationId) { return true; })});
}

/// What the optimizer's step makes for itself: lists over all weights, or one tensor after the
/// other.
void addTransients(const CauseInput& in, std::vector<Finding>& out)
{
    const Sum& lists = in.measures.optimizer_transients;
    if (in.share(lists.bytes) < 0.05) {
        return;
    }
    const bool are_lists = in.facts.stacks.traits(lists.stack).has(label::Trait::foreach);
    const bool may_be_fused = label::mayBeFused(in.facts.snapshot, lists.stack);
    const Bytes size{lists.bytes};
    const std::string count =
        sayCounted(lists.count, "one temporary", "{} temporaries", formatCount(lists.count));
    out.push_back(
        {"optimizer-transients",
         {!may_be_fused ? say("The optimizer step itself takes {} in {}.", size, count)
              : are_lists
              ? say("The optimizer step itself takes {} in {} (foreach). fused=True needs "
                    "none, foreach=False one at a time.",
                    size, count)
              : say("The optimizer step itself takes {} in {}. fused=True needs none.", size,
                    count),
          in.facts.moment.state, lists.stack},
         {lists.bytes},
         lists.live() == 0 ? in.facts.failed->confidence / 100.0
                           : trustInLive(in.facts, [&](AllocationId a) {
                                 return in.facts.bucket(a) == Bucket::temporary
                                     && (in.facts.phaseOf(a) == Phase::optimizer
                                         || in.facts.role(a) == label::Role::optimizer_transient);
                             })});
}

/// The same in every step, the first one included: no warm-up.
void addEachStep(const CauseInput& in, std::vector<Finding>& out)
{
    const std::optional<Kept> kept = keptToTell(in);
    if (!kept || kept->is_evaluation || in.basis.growth.kind == GrowthKind::leak) {
        return; // the cause says it
    }
    const Facts& facts = in.facts;
    const std::string place = label::linesText(facts.snapshot, facts.stacks.lines(kept->stack));
    const Bytes each{kept->per_turn};
    out.push_back(
        {std::string(kEachStep),
         {place.empty()
              ? say("Each of {} steps keeps {}: a leak, if it goes on.", kept->turns, each)
              : say("Each of {} steps keeps {}, mostly from {}: a leak, if it goes on.",
                    kept->turns, each, place),
          facts.replay.lastState(), kept->stack},
         {kept->per_turn * kept->turns}});
}

/// What was live after each step rose, in too few steps to call it a leak.
void addRises(const CauseInput& in, std::vector<Finding>& out)
{
    if (in.basis.growth.kind == GrowthKind::leak || keptToTell(in)) {
        return; // that is said already
    }
    const Facts& facts = in.facts;
    const curves::StepGrowth growth =
        curves::growthPerStep(facts.replay, facts.labels, facts.replay.lastState());
    std::int64_t more = 0;
    const curves::StackGrowth* most = nullptr;
    for (const curves::StackGrowth& one : growth.stacks) {
        if (!curves::onlyRose(one)) {
            continue;
        }
        const std::int64_t rise = one.last_bytes - one.first_bytes;
        more += rise;
        most = most == nullptr || rise > most->last_bytes - most->first_bytes ? &one : most;
    }
    if (most == nullptr || in.share(more) < 0.03) {
        return;
    }
    const std::string place = label::linesText(facts.snapshot, facts.stacks.lines(most->stack));
    const Bytes rise{more};
    const std::size_t steps = growth.ends.size();
    out.push_back({"rises",
                   {place.empty() ? say("{} more is allocated after {} steps than after the first: "
                                        "a leak or warmup. Record more steps.",
                                        rise, steps)
                                  : say("{} more is allocated after {} steps than after the first, "
                                        "mostly from {}: a leak or warmup. Record more steps.",
                                        rise, steps, place),
                    growth.ends.back(), most->stack},
                   {more}});
}

/// Forward passes that no backward follows, where that is not the cause already.
void addForwardsOnly(const CauseInput& in, Cause first, std::vector<Finding>& out)
{
    if (in.run != RunCase::scoring || first == Cause::evaluation_accumulation
        || first == Cause::leak) {
        return;
    }
    if (const std::int64_t last = graphOfLastPass(in.facts); last > 0) {
        out.push_back({std::string(kKeptGraphs),
                       {say("The last pass's graph is still alive, {}: use torch.no_grad(), or del "
                            "the outputs.",
                            Bytes{last}),
                        in.facts.moment.state,
                        {}},
                       {last}});
        return;
    }
    const ForwardsOnly forwards = findForwardsOnly(in.facts);
    if (forwards.turns == 0) {
        return;
    }
    out.push_back({std::string(kKeptGraphs),
                   {sayCounted(forwards.alive,
                               "Forward ran {} times with no backward between; the graph of {} is "
                               "alive, {}. torch.inference_mode() keeps none.",
                               "Forward ran {} times with no backward between; the graphs of {} "
                               "are alive, {}. torch.inference_mode() keeps none.",
                               forwards.turns, forwards.alive, Bytes{forwards.bytes}),
                    in.facts.moment.state, forwards.stack},
                   {forwards.bytes}});
}

/// Workspaces of libraries, autotuning and compilers, where they are not the cause already.
void addWorkspaces(const CauseInput& in, std::vector<Finding>& out)
{
    const std::int64_t bytes = in.facts.bucketAtMoment(Bucket::workspace);
    if (in.share(bytes) < 0.03) {
        return;
    }
    out.push_back(
        {"workspaces",
         {say("Workspaces of cuBLAS, cuDNN, autotuning or a compiler take {}.", Bytes{bytes}),
          in.facts.moment.state,
          {}},
         {bytes},
         trustIn(in, Bucket::workspace)});
}

/// What would make a finding surer: the first cause where it is one about that, else labels that
/// are known and not inferred.
std::string whatWouldHelp(const Finding& finding, const CauseInput& in, Cause first)
{
    if (finding.id == kMyth) {
        return std::string(translated(causeText(first).sure));
    }
    return in.facts.snapshot.stacks.frameCount() == 0
        ? say("Record with stacks, for labels from frames instead of sizes.")
        : say("Record with the capture module, which notes each tensor's role, or correct the "
              "label.");
}

} // namespace

std::optional<Kept> keptToTell(const CauseInput& in)
{
    static constexpr std::int64_t kMuch = 1 << 20;
    static constexpr double kGoodPart = 0.03;
    std::optional<Kept> kept = findKept(in.facts, in.basis.growth);
    const bool is_told =
        kept && (kept->per_turn >= kMuch || in.share(kept->per_turn * kept->turns) >= kGoodPart);
    return is_told ? kept : std::nullopt;
}

std::vector<Finding> gatherFindings(const CauseInput& in, const std::vector<CauseFinding>& causes)
{
    std::vector<Finding> findings;
    if (in.facts.device.isEmpty()) {
        return findings;
    }
    addRequest(in, findings);
    addFirstBackward(in, findings);
    addSecondStep(in, findings);
    addShortRecording(in, findings);
    addEachStep(in, findings);
    addRises(in, findings);
    addMemoryFindings(in, findings);
    addTransients(in, findings);
    addWorkspaces(in, findings);
    addModelFindings(in, findings);
    addTraps(in, findings);
    if (causes.empty()) {
        return findings;
    }
    addForwardsOnly(in, causes.front().cause, findings);
    addMyths(in, causes.front(), findings);
    for (Finding& finding : findings) {
        if (finding.score < kSure) {
            finding.to_be_sure = whatWouldHelp(finding, in, causes.front().cause);
        }
    }
    return findings;
}

void LabelTrust::add(AllocationId a)
{
    const auto bytes = static_cast<double>(m_facts.bytes(a));
    m_sure += bytes * m_facts.labels.confidence[a.index()] / 100;
    m_all += bytes;
}

double LabelTrust::score() const
{
    return m_all > 0 ? m_sure / m_all : 0;
}

} // namespace tidemark::diagnose
