// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/plan/plan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tidemark::plan {

/// A model that judges what was written.
struct RewardModel {
    std::string name; ///< As its path says; empty: not said.
    /// Of the card, that its engine takes while it judges (veRL); 0: its weights alone stay on the
    /// card throughout (TRL).
    double engine_share = 0;
    bool engine_sleeps = true; ///< While others work.
};

/// What stands beside a trainer that learns from what its model writes, all on one card.
struct RolloutSetup {
    /// Of the card, that the engine takes while it writes: weights, cache and its own tensors.
    double engine_share = 0.5;
    bool engine_sleeps = true; ///< While others work; levels 1 and 2 both give it all back.
    std::int64_t engine_gpus = 1; ///< That share the engine's weights.
    std::int64_t answers = 1; ///< To each prompt.
    std::int64_t prompt = 0; ///< Tokens; 0: not said.
    std::int64_t response = 0;
    std::optional<std::int64_t> scoring_batch; ///< Sequences per forward; none: the trainer's.
    bool is_verl = false; ///< Else TRL.
    bool says_checkpointing = false; ///< Else veRL recomputes.
    bool has_reference = false; ///< A frozen copy that answers are held against.
    bool offloads_reference = false;
    std::optional<RewardModel> reward; ///< On the same card.
    bool has_critic = false; ///< A second model that is trained, which is not planned.
    bool offloads_weights = false; ///< The trainer's, while others work.
    bool offloads_states = false;
    std::vector<std::string> from; ///< The settings that say so, as written.
};

/// Reads veRL's and TRL's settings; nothing where no engine shares the card with a trainer. What is
/// left out has the default of veRL 0.9.1 or TRL 1.16. Texts that are no configuration say nothing.
std::optional<RolloutSetup> readRollout(std::span<const std::string> texts);
/// What is known of the trainer's configuration.
struct RolloutSaid {
    bool sequence = false;
    bool precision = false;
};
/// What follows for the trainer where nothing else is said: the tokens of prompt and response
/// together; of veRL FSDP with a master copy in 32 bits, checkpointing, and offload only while
/// others work.
void applyRollout(const RolloutSetup& setup, RolloutSaid said, walk::RunShape& run);

/// Who holds what at a moment.
struct RolloutPart {
    std::string who; ///< "rollout engine"
    Bytes bytes;
};
struct RolloutMoment {
    std::string name; ///< "generation", "judging", "scoring", "update"
    std::vector<RolloutPart> parts;
    Bytes bytes; ///< Their sum.
};
struct RolloutPlan {
    std::vector<RolloutMoment> moments; ///< In the order of a step.
    std::size_t largest = 0; ///< The one with the most bytes.
    Bytes cache; ///< Left for keys and values in the engine.
    std::int64_t cache_tokens = 0;
    std::int64_t sequences = 0; ///< Of full length that are in the cache at once; 0: not known.
    /// As Estimate's `fits`, of all that is on the card at the largest moment.
    std::optional<bool> fits;
    std::vector<std::string> notes;
};

/// The trainer is the question's run. Requires a capacity and that there is no objection. Errors:
/// badArgument where the engine's share does not even hold its weights.
Result<RolloutPlan> planRollout(const Question& question, const RolloutSetup& setup);

} // namespace tidemark::plan
