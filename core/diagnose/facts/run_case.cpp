// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/run_case.h"

#include "core/base/language.h"
#include "core/diagnose/facts/forwards_only.h"
#include "core/label/stacks/frame_tests.h"

#include <algorithm>
#include <array>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

constexpr std::uint32_t kFewestForwards = 3;

struct RunCaseWords {
    std::string_view id;
    std::string_view says;
};
constexpr std::array kRunCases{
    // as RunCase has them
    RunCaseWords{"unknown", toSay("in an unknown run")},
    RunCaseWords{"loading", toSay("while creating the model")},
    RunCaseWords{"training", toSay("in training")},
    RunCaseWords{"scoring", toSay("in forwards without backward")},
    RunCaseWords{"evaluation", toSay("in evaluation")},
    RunCaseWords{"inference", toSay("in inference")},
    RunCaseWords{"generation", toSay("in generation")},
};

/// Whether a backward or an optimizer ran, or what they leave is there.
bool hasTrained(const Facts& facts)
{
    const auto& spans = facts.labels.phases;
    return std::ranges::any_of(facts.passes, [](const Pass& p) { return !p.backward.isEmpty(); })
        || std::ranges::any_of(spans,
                               [](const auto& span) {
                                   return span.phase == Phase::backward
                                       || span.phase == Phase::optimizer;
                               })
        || holdsTrainingState(facts);
}

/// Whether a pass began before the moment.
bool hasComputed(const Facts& facts)
{
    return std::ranges::any_of(facts.passes,
                               [&](const Pass& p) { return p.forward.begin < facts.moment.state; });
}

/// The stack of what happens at the moment: the request that failed, else what made the peak.
StackId stackAtMoment(const Facts& facts)
{
    if (facts.isOom()) {
        return facts.failedStack();
    }
    const std::int64_t event = facts.moment.state.eventNumber();
    return event < 0 ? StackId::none() : facts.device.events.stack[static_cast<std::size_t>(event)];
}

/// A loop that generates, as its frames or its cache tell.
bool generates(const Facts& facts)
{
    const StackId stack = stackAtMoment(facts);
    return isOfGeneration(facts.snapshot, stack)
        || facts.stacks.traits(stack).has(label::Trait::kv_cache) || cacheAtMoment(facts) > 0;
}

RunCase withoutGradients(const Facts& facts)
{
    if (generates(facts)) {
        return RunCase::generation;
    }
    // The loop that evaluates for a trainer says so even where no step came before.
    const bool of_trainer =
        label::anyFrame(facts.snapshot, stackAtMoment(facts), [](std::string_view name, auto) {
            return name == "evaluation_loop" || name == "validation_step";
        });
    return of_trainer || hasTrained(facts) ? RunCase::evaluation : RunCase::inference;
}

RunCase inForward(const Facts& facts, const Growth& growth)
{
    if (isOfGeneration(facts.snapshot, stackAtMoment(facts))) {
        return RunCase::generation;
    }
    // Outside of all passes, with none before and nothing that training leaves.
    if (facts.phaseAtMoment() == Phase::other && facts.passes.empty() && !hasTrained(facts)) {
        return RunCase::unknown;
    }
    // Several forward passes of one step look alike until a step has shown how many it has.
    if (std::ranges::any_of(facts.passes, &Pass::isWholeTraining)) {
        return growth.is_graph && growth.kind == GrowthKind::evaluation ? RunCase::scoring
                                                                        : RunCase::training;
    }
    if (graphOfLastPass(facts) > 0) {
        return RunCase::scoring;
    }
    const ForwardsOnly forwards = findForwardsOnly(facts);
    return forwards.turns >= kFewestForwards && forwards.alive >= 2 ? RunCase::scoring
                                                                    : RunCase::training;
}

} // namespace

std::string_view runCaseId(RunCase run)
{
    return kRunCases.at(static_cast<std::size_t>(run)).id;
}

std::string runCaseWords(RunCase run)
{
    return std::string(translated(kRunCases.at(static_cast<std::size_t>(run)).says));
}

RunCase runCaseOf(const Facts& facts, const Growth& growth)
{
    if (!holdsHistory(facts)) {
        return RunCase::unknown;
    }
    switch (facts.phaseAtMoment()) {
    case Phase::evaluation:
    case Phase::inference:
        return withoutGradients(facts);
    case Phase::backward:
    case Phase::optimizer:
        return RunCase::training;
    case Phase::setup:
        return hasTrained(facts)  ? RunCase::training
            : !hasComputed(facts) ? RunCase::loading
            : generates(facts)    ? RunCase::generation
                                  : RunCase::unknown;
    case Phase::forward:
    case Phase::input:
    case Phase::other:
        return inForward(facts, growth);
    }
    return RunCase::unknown;
}

bool holdsHistory(const Facts& facts)
{
    using trace::Action;
    return std::ranges::any_of(facts.device.events.action, [](Action action) {
        return action == Action::alloc || action == Action::free_requested
            || action == Action::free_completed || action == Action::oom;
    });
}

bool holdsTrainingState(const Facts& facts)
{
    return facts.states.optimizer > 0 || facts.states.gradients > 0;
}

std::int64_t cacheAtMoment(const Facts& facts)
{
    const label::FailedRequest* failed = facts.failed;
    std::int64_t bytes =
        failed != nullptr && failed->bucket == Bucket::kv_cache ? facts.moment.requested.value : 0;
    for (const AllocationId a : facts.ids()) {
        bytes += facts.bucket(a) == Bucket::kv_cache && facts.isLive(a) ? facts.bytes(a) : 0;
    }
    return bytes;
}

bool isOfGeneration(const trace::Snapshot& snapshot, StackId stack)
{
    return label::anyFrame(snapshot, stack, [](std::string_view name, std::string_view file) {
        return label::isFileIn(file, "/transformers/generation/") || name == "generate"
            || label::isFileIn(file, "/vllm/");
    });
}

} // namespace tidemark::diagnose
