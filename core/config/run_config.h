// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::config {

/// Where a fix of the ladder is on by a run's configuration.
struct SwitchedOn {
    std::string fix; ///< Its id: "checkpointing-full".
    std::string by; ///< The setting as written: "gradient_checkpointing=True".
};

/// Sizes in elements of what sharding keeps in one piece, by DeepSpeed's settings; what is not set
/// has the default that DeepSpeed documents.
struct ShardingSizes {
    std::optional<std::int64_t> reduce; ///< reduce_bucket_size
    std::optional<std::int64_t> gather; ///< allgather_bucket_size
    std::optional<std::int64_t> live; ///< stage3_max_live_parameters
    std::optional<std::int64_t> persistent; ///< stage3_param_persistence_threshold
    std::optional<bool> overlaps; ///< overlap_comm

    /// Whether any is named, so that it is DeepSpeed that shards.
    [[nodiscard]] bool any() const
    {
        return reduce || gather || live || persistent || overlaps;
    }
};

/// What a run's configuration says, as far as the ladder of fixes has a use for it.
struct RunConfig {
    std::string form; ///< In which form it was written: "DeepSpeed JSON", "launch line".
    std::optional<int> micro_batch; ///< Sequences (samples) per GPU and forward pass.
    std::optional<int> accumulation; ///< Micro-batches per optimizer step.
    std::optional<int> ranks; ///< Data-parallel GPUs.
    std::optional<int> global_batch; ///< Sequences per optimizer step, as written.
    std::optional<int> sequence; ///< Tokens.
    std::optional<int> zero_stage; ///< 0 to 3; FSDP's full sharding is 3.
    /// What the stage's number does not say of how it is sharded: "in each node only, …"; or empty.
    std::string sharding_words;
    ShardingSizes sharding;
    bool reduces_in_fp32 = false; ///< Gradients are summed over the GPUs in 32 bits.
    std::string precision; ///< "fp32", "fp16", "bf16", "fp8"; empty: not said.
    std::string optimizer; ///< As written; empty: not said.
    std::optional<double> momentum; ///< SGD's.
    bool amsgrad = false; ///< Of Adam, as its argument.
    std::string allocator; ///< Settings of the caching allocator, as written.
    std::vector<SwitchedOn> on; ///< In the order of the text, each fix once.
    std::vector<std::pair<std::string, std::string>>
        read; ///< Every setting understood, as written.
    std::vector<std::string> unread; ///< Settings without a meaning here.

    /// Micro-batch · accumulation · ranks, where known; else as written. Ranks not told count as 1.
    [[nodiscard]] std::optional<int> effectiveBatch() const;
    /// The setting that has this fix on; empty if none does.
    [[nodiscard]] std::string_view whatHasOn(std::string_view fix) const;
};

/// Several that belong to one run, in their order: what a later one says of a setting holds. Errors
/// are of the first that cannot be read.
Result<RunConfig> readRunConfigs(std::span<const std::string> texts);

/// Reads a run's configuration in whatever form: DeepSpeed's JSON, trainer arguments as JSON, YAML
/// as Python prints them or has them in a file, accelerate's YAML, INI or TOML, overrides "a.b=c",
/// a launch line. O(length). Errors: badArgument where it is none or says nothing that is known
/// here, tooLarge.
Result<RunConfig> readRunConfig(std::string_view text);

} // namespace tidemark::config
