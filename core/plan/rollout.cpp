// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/rollout.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/moment.h"
#include "core/plan/budget.h"
#include "core/plan/catalog.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::plan {
namespace {

/// Engines serve in 16 bits.
constexpr std::int64_t kEngineWidth = 2;

/// What the trainer's process keeps while others work: weights and states, unless they wait on the
/// host.
Bytes resident(const PlannedBudget& trainer, const RolloutSetup& setup)
{
    Bytes bytes;
    if (!setup.offloads_weights) {
        bytes += trainer.parameter_bytes;
    }
    if (!setup.offloads_states) {
        bytes += trainer.state_bytes;
    }
    return bytes;
}

/// The model's weights as the engine holds its part of them.
Bytes engineWeights(const Question& question, std::int64_t gpus)
{
    walk::RunShape run;
    run.sequence = question.model.images ? question.model.images->tokens() : 1;
    run.mode = walk::Mode::inference;
    run.precision = walk::Precision::bf16;
    const PlannedBudget whole = budgetOf(question.model, run);
    return {(whole.parameters * kEngineWidth + gpus - 1) / gpus};
}

/// Of one token, in all layers: a key and a value of each head that has them.
std::int64_t cacheBytesPerToken(const walk::ModelShape& model, std::int64_t gpus)
{
    const std::int64_t key_heads = std::max<std::int64_t>(1, model.key_heads / gpus);
    return 2 * model.layers * key_heads * model.head_width * kEngineWidth;
}

/// One forward without a graph over the answers, as sharded as the trainer.
PlannedBudget scoringBudget(const Question& question, const RolloutSetup& setup)
{
    walk::RunShape run = question.run;
    run.mode = walk::Mode::inference;
    run.lora.reset();
    run.accumulation = 1;
    run.batch = setup.scoring_batch.value_or(run.batch);
    run.states = walk::Offload::none;
    run.precision = walk::Precision::bf16;
    return budgetOf(question.model, run);
}

void add(RolloutMoment& moment, std::string who, Bytes bytes)
{
    if (bytes.value > 0) {
        moment.parts.push_back({std::move(who), bytes});
        moment.bytes += bytes;
    }
}

/// What judges: its engine's share while it does, and what is on the card at every moment.
struct Judge {
    Bytes awake;
    Bytes always;
};

/// Weights as the checkpoint has them, in 16 bits; of a model that is not known by name, nothing.
Judge judgeOf(const std::optional<RewardModel>& reward, Bytes card)
{
    if (!reward) {
        return {};
    }
    if (reward->engine_share > 0) {
        const Bytes share{std::llround(reward->engine_share * static_cast<double>(card.value))};
        return {share, reward->engine_sleeps ? Bytes{} : share};
    }
    const KnownModel* const known = findModel(reward->name);
    const Bytes weights{known != nullptr ? known->parameters * kEngineWidth : 0};
    return {weights, weights};
}

/// What the engine takes: its share of the card while it writes, nothing while it sleeps.
struct Engine {
    Bytes awake;
    Bytes asleep;
};

std::vector<RolloutMoment> momentsOf(const Question& question, const RolloutSetup& setup,
                                     const Engine& engine, const Judge& judge,
                                     const PlannedBudget& trainer, const PlannedBudget& scoring)
{
    const Bytes waits = resident(trainer, setup);
    const bool keeps_reference = setup.has_reference && !setup.offloads_reference;
    const Bytes reference = keeps_reference ? scoring.parameter_bytes : Bytes{};
    RolloutMoment generation{toSay("generation"), {}, {}};
    add(generation, toSay("rollout engine"), engine.awake);
    add(generation, toSay("trainer"), waits);
    add(generation, toSay("reference"), reference);
    add(generation, toSay("reward model"), judge.always);
    RolloutMoment judging{toSay("judging"), {}, {}};
    add(judging, toSay("reward model"), judge.awake);
    add(judging, toSay("rollout engine"), engine.asleep);
    add(judging, toSay("trainer"), waits);
    add(judging, toSay("reference"), reference);
    RolloutMoment scores{toSay("scoring"), {}, {}};
    add(scores, toSay("rollout engine"), engine.asleep);
    // The trainer's own probabilities are computed with its weights, and its states lie beside.
    const Bytes states = setup.offloads_states ? Bytes{} : trainer.state_bytes;
    const Bytes working = scoring.peak.bytes - scoring.parameter_bytes;
    add(scores, toSay("trainer"), trainer.parameter_bytes + states + working);
    add(scores, toSay("reference"), reference);
    add(scores, toSay("reward model"), judge.always);
    RolloutMoment update{toSay("update"), {}, {}};
    add(update, toSay("rollout engine"), engine.asleep);
    add(update, toSay("trainer"),
        question.run.target == walk::Target::cuda ? trainer.reserved : trainer.peak.bytes);
    add(update, toSay("reference"), reference);
    add(update, toSay("reward model"), judge.always);
    std::vector<RolloutMoment> moments{generation};
    if (setup.reward) {
        moments.push_back(judging);
    }
    moments.insert(moments.end(), {scores, update});
    return moments;
}

std::vector<std::string> notesOf(const RolloutSetup& setup)
{
    std::vector<std::string> notes;
    if (setup.engine_sleeps) {
        notes.emplace_back(say("The engine sleeps outside generation and frees weights and cache; "
                               "CUDA graphs' and communication memory is not counted."));
    } else {
        notes.emplace_back(say("The engine never sleeps: it always takes its share."));
    }
    if (setup.offloads_weights || setup.offloads_states) {
        notes.emplace_back(say("The trainer's offloaded state is on the GPU only for the update."));
    }
    if (!setup.reward) {
        notes.emplace_back(say("Assumes rule-based or remote rewards."));
    } else if (setup.reward->engine_share == 0 && findModel(setup.reward->name) == nullptr) {
        notes.emplace_back(say("Unknown reward model: its weights are not counted."));
    }
    if (setup.has_critic) {
        notes.emplace_back(say("The critic, a second trained model, is not counted."));
    }
    return notes;
}

} // namespace

void applyRollout(const RolloutSetup& setup, RolloutSaid said, walk::RunShape& run)
{
    if (!said.sequence && setup.prompt > 0 && setup.response > 0) {
        run.sequence = setup.prompt + setup.response;
    }
    if (!setup.is_verl) {
        return;
    }
    run.states = walk::Offload::none;
    run.weights = walk::Offload::none;
    run.checkpoints = run.checkpoints || !setup.says_checkpointing;
    if (!said.precision) {
        run.precision = walk::Precision::bf16_master;
    }
    if (run.replicas() > 1 && run.zero == 0) {
        run.zero = 3;
    } else if (run.replicas() == 1) {
        run.zero = 0;
    }
}

Result<RolloutPlan> planRollout(const Question& question, const RolloutSetup& setup)
{
    const Bytes card = *question.capacity;
    const PlannedBudget trainer = budgetOf(question.model, question.run);
    const PlannedBudget scoring = scoringBudget(question, setup);
    const Bytes awake{std::llround(setup.engine_share * static_cast<double>(card.value))};
    const Bytes weights = engineWeights(question, setup.engine_gpus);
    if (weights > awake) {
        return Error{ErrorCode::badArgument,
                     say("The rollout engine's share of {} is too small for its weights, {}: raise "
                         "gpu_memory_utilization or tensor_model_parallel_size.",
                         awake, weights),
                     {}};
    }
    RolloutPlan plan;
    const Engine engine{awake, setup.engine_sleeps ? Bytes{} : awake};
    plan.moments =
        momentsOf(question, setup, engine, judgeOf(setup.reward, card), trainer, scoring);
    plan.largest = static_cast<std::size_t>(
        std::ranges::max_element(plan.moments, {}, &RolloutMoment::bytes) - plan.moments.begin());
    plan.cache = awake - weights;
    plan.cache_tokens = plan.cache.value / cacheBytesPerToken(question.model, setup.engine_gpus);
    const std::int64_t length = setup.prompt + setup.response;
    plan.sequences = setup.response > 0 ? plan.cache_tokens / length : 0;
    plan.notes = notesOf(setup);
    const Estimate estimate = plan::estimate(question, question.run);
    const Bytes beside = estimate.context.expected + estimate.workspace.expected;
    const double spread = static_cast<double>(estimate.reserved.high.value)
        / static_cast<double>(std::max<std::int64_t>(1, estimate.reserved.expected.value));
    const Bytes most = plan.moments[plan.largest].bytes + beside;
    const Bytes high{std::llround(static_cast<double>(most.value) * spread)};
    if (high <= card) {
        plan.fits = true;
    } else if (most > card) {
        plan.fits = false;
    }
    return plan;
}

} // namespace tidemark::plan
