// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/config/framework.h"

#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/config/setting_handlers.h"

#include <algorithm>
#include <array>

namespace tidemark::config {
namespace {

struct Mark {
    std::string_view name; ///< A part of a setting's path.
    std::string_view framework;
};
// Read off the current documentation of each, November 2026.
constexpr std::array<Mark, 20> kMarks{{
    {"actor_rollout_ref", "veRL"},
    {"zero_optimization", "DeepSpeed"},
    {"train_micro_batch_size_per_gpu", "DeepSpeed"},
    {"deepspeed", "HF Trainer"}, // its argument with DeepSpeed's file
    {"per_device_train_batch_size", "HF Trainer"},
    {"eval_accumulation_steps", "HF Trainer"},
    {"accumulate_grad_batches", "Lightning"},
    {"_component_", "torchtune"},
    {"tensor_model_parallel_size", "Megatron"},
    {"pipeline_model_parallel_size", "Megatron"},
    {"recompute_granularity", "Megatron"},
    {"use_distributed_optimizer", "Megatron"},
    {"gpu_memory_utilization", "vLLM"},
    {"max_model_len", "vLLM"},
    {"enforce_eager", "vLLM"},
    {"distributed_type", "Accelerate"},
    {"fsdp_config", "Accelerate"},
    {"fsdp_sharding_strategy", "Accelerate"},
    {"num_machines", "Accelerate"},
    {"reshard_after_forward", "FSDP"},
}};

std::string valueOf(const RunConfig& config, std::string_view name)
{
    for (const auto& [path, value] : config.read) {
        if (settingName(path) == name) {
            return lowered(value);
        }
    }
    return {};
}

} // namespace

std::string_view frameworkOf(const RunConfig& config)
{
    const auto names = [&config](std::string_view part) {
        return std::ranges::any_of(config.read,
                                   [&](const auto& setting) { return has(setting.first, part); })
            || std::ranges::any_of(config.unread,
                                   [&](const std::string& path) { return has(path, part); });
    };
    const auto found =
        std::ranges::find_if(kMarks, [&](const Mark& mark) { return names(mark.name); });
    return found == kMarks.end() ? std::string_view() : found->framework;
}

std::vector<std::string> warningsOn(const RunConfig& config)
{
    std::vector<std::string> warnings;
    const std::string allocator = lowered(config.allocator);
    if (has(allocator, "expandable_segments:true") && has(allocator, "max_split_size_mb")) {
        // Expandable segments need large blocks to be split; pytorch/pytorch#193400.
        warnings.emplace_back(
            say("max_split_size_mb conflicts with expandable_segments:True: large blocks are no "
                "longer split, and the pool grows; remove max_split_size_mb."));
    }
    const std::string debug = valueOf(config, "debug");
    if (has(debug, "underflow_overflow")) {
        warnings.emplace_back(say("debug=underflow_overflow hooks every module and keeps the "
                                  "extremes of its last frames; remove it from long runs."));
    }
    if (isTrue(valueOf(config, "detect_anomaly"))) {
        warnings.emplace_back(say("Anomaly detection keeps a traceback per operation and slows "
                                  "backward; disable it in long runs."));
    }
    return warnings;
}

} // namespace tidemark::config
