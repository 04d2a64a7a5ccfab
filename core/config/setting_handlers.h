// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/config/run_config.h"
#include "core/config/settings.h"

#include <optional>
#include <string_view>

namespace tidemark::config {

/// What several settings say together, before it is worked out.
struct ConfigBuilder {
    RunConfig config;
    std::optional<int> processes; ///< Per node, or in all.
    std::optional<int> nodes;
    int shared_model = 1; ///< GPUs that hold one copy of the model: tensor · pipeline · context.
    std::optional<int> prompt; ///< Tokens of a prompt and of an answer, where training sees both.
    std::optional<int> response;
    int samples_per_prompt = 1; ///< Answers to one prompt; batches of veRL count prompts.
    bool counts_all = false; ///< `processes` are those of all nodes.
    /// FSDP is in use, by a setting that says no more than that.
    std::optional<Setting> sharded_by;
    /// A stage that only the name of a configuration tells: "zero2", "configs/ds_z3_offload.json".
    std::optional<int> named_stage;
    Setting named_by;
    /// Of FSDP2, which has no other name for its stages: whether weights go again after forward.
    std::optional<bool> reshards;
    Setting reshards_by;

    /// Notes that a fix is on.
    void switchOn(std::string_view fix, const Setting& by);
    void shard(int stage, const Setting& by);
    /// What follows once all is read: a stage that nothing names, or the one of `reshards`.
    void closeSharding();
};

// Stages of sharding, by the setting's own name: sharding_stages.cpp.
void zeroStage(const Setting& setting, ConfigBuilder& builder);
void deepspeedName(const Setting& setting, ConfigBuilder& builder);
void fsdpWords(const Setting& setting, ConfigBuilder& builder);
void reshards(const Setting& setting, ConfigBuilder& builder);
void strategy(const Setting& setting, ConfigBuilder& builder);
void distributedOptimizer(const Setting& setting, ConfigBuilder& builder);
void shardsByDefault(const Setting& setting, ConfigBuilder& builder);

/// reduce_bucket_size and its like, by the setting's own name.
void shardingSize(const Setting& setting, ConfigBuilder& builder);

/// Under which name a setting is known here; its own path where it is not.
std::string_view settingName(std::string_view path);

/// Gives a setting its meaning. False: it has none here.
bool understand(const Setting& setting, ConfigBuilder& builder);

// Values as people write them.
std::optional<int> wholeNumber(std::string_view value); ///< Positive.
bool has(std::string_view text, std::string_view part);
bool isTrue(std::string_view value);
bool isFalse(std::string_view value);

} // namespace tidemark::config
