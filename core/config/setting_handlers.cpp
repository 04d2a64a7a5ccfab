// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/config/setting_handlers.h"

#include "core/base/ascii.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace tidemark::config {
namespace {

using SettingHandler = void (*)(const Setting&, ConfigBuilder&);

struct Name {
    std::string_view path; ///< The setting's, or its end after a dot.
    SettingHandler meaning;
};

void put(std::optional<int>& field, const Setting& s)
{
    if (const auto number = wholeNumber(s.value)) {
        field = number;
    }
}

// --- sizes ---

void microBatch(const Setting& s, ConfigBuilder& g)
{
    put(g.config.micro_batch, s);
}
void accumulation(const Setting& s, ConfigBuilder& g)
{
    put(g.config.accumulation, s);
}
void globalBatch(const Setting& s, ConfigBuilder& g)
{
    put(g.config.global_batch, s);
}
void sequence(const Setting& s, ConfigBuilder& g)
{
    put(g.config.sequence, s);
}
void promptLength(const Setting& s, ConfigBuilder& g)
{
    put(g.prompt, s);
}
void responseLength(const Setting& s, ConfigBuilder& g)
{
    put(g.response, s);
}
void samplesPerPrompt(const Setting& s, ConfigBuilder& g)
{
    g.samples_per_prompt = std::min(wholeNumber(s.value).value_or(1), 1 << 16);
}
void zeroOne(const Setting& s, ConfigBuilder& g)
{
    if (isTrue(s.value)) {
        g.shard(1, s);
    }
}
void processes(const Setting& s, ConfigBuilder& g)
{
    put(g.processes, s);
}
void allProcesses(const Setting& s, ConfigBuilder& g)
{
    put(g.processes, s);
    g.counts_all = true;
}
void nodes(const Setting& s, ConfigBuilder& g)
{
    put(g.nodes, s);
}
void sharedModel(const Setting& s, ConfigBuilder& g)
{
    const std::int64_t all = std::int64_t{g.shared_model} * wholeNumber(s.value).value_or(1);
    g.shared_model = static_cast<int>(std::min<std::int64_t>(all, 1 << 20));
}
void gpuList(const Setting& s, ConfigBuilder& g)
{
    // "0,1,2,3" or "localhost:0,1,2,3"
    const std::string_view list = std::string_view(s.value).substr(s.value.find(':') + 1);
    if (!list.empty() && isDigit(list.front()) && !g.processes) {
        g.processes = 1 + static_cast<int>(std::ranges::count(list, ','));
    }
}
void devices(const Setting& s, ConfigBuilder& g)
{
    has(s.value, ",") ? gpuList(s, g) : processes(s, g);
}

// --- precision ----------------------------------------------------------------------------------

void precisionWord(const Setting& s, ConfigBuilder& g)
{
    const std::string value = lowered(s.value);
    const bool is_bf16 = has(value, "bf16") || has(value, "bfloat16");
    const bool is_fp16 = has(value, "fp16") || has(value, "float16") || value.starts_with("16");
    if (is_bf16 || is_fp16) {
        g.config.precision = is_bf16 ? "bf16" : "fp16";
        g.switchOn("bf16", s);
        if (has(value, "true")) { // "bf16-true": weights, too
            g.switchOn("bf16-pure", s);
        }
    } else if (has(value, "fp8")) {
        g.config.precision = "fp8";
        g.switchOn("bf16", s);
    } else if (has(value, "32")) {
        g.config.precision = "fp32";
    }
}
void bf16Flag(const Setting& s, ConfigBuilder& g)
{
    if (isTrue(s.value)) {
        g.config.precision = "bf16";
        g.switchOn("bf16", s);
    }
}
void fp16Flag(const Setting& s, ConfigBuilder& g)
{
    if (isTrue(s.value)) {
        g.config.precision = "fp16";
        g.switchOn("bf16", s);
    }
}
void weightType(const Setting& s, ConfigBuilder& g)
{
    const std::string value = lowered(s.value);
    if (has(value, "bf16") || has(value, "bfloat16") || has(value, "half")
        || (has(value, "float16"))) {
        g.config.precision = has(value, "b") ? "bf16" : "fp16";
        g.switchOn("bf16", s);
        g.switchOn("bf16-pure", s);
    }
}

// --- sharding and offload -----------------------------------------------------------------------

bool isAway(std::string_view value)
{
    const std::string where = lowered(value);
    return isTrue(where) || where == "cpu" || where == "nvme";
}
void offloadOptimizer(const Setting& s, ConfigBuilder& g)
{
    if (isAway(s.value)) {
        g.switchOn("offload-optimizer", s);
    }
}
void offloadParameters(const Setting& s, ConfigBuilder& g)
{
    if (isAway(s.value)) {
        g.switchOn("offload-parameters", s);
    }
}
void offloadBoth(const Setting& s, ConfigBuilder& g)
{
    offloadParameters(s, g);
    offloadOptimizer(s, g);
}
void offloadActivations(const Setting& s, ConfigBuilder& g)
{
    if (isTrue(s.value)) {
        g.switchOn("offload-activations", s);
    }
}

// --- activations, optimizer, the rest -----------------------------------------------------------

void checkpointing(const Setting& s, ConfigBuilder& g)
{
    const std::string value = lowered(s.value);
    if (value == "selective") {
        g.switchOn("checkpointing-selective", s);
    } else if (isTrue(value) || value == "full" || value == "unsloth") {
        g.switchOn("checkpointing-full", s);
        g.switchOn("checkpointing-selective", s);
    }
}
void recomputes(const Setting& s, ConfigBuilder& g)
{
    if (isTrue(s.value)) {
        g.switchOn("checkpointing-selective", s);
    }
}
void optimizer(const Setting& s, ConfigBuilder& g)
{
    const std::string value = lowered(s.value);
    if (value.empty() || has(value, "/")) {
        return;
    }
    g.config.optimizer = s.value;
    struct Word {
        std::string_view word;
        std::string_view fix;
    };
    static constexpr std::array<Word, 11> kWords{{
        {"8bit", "optimizer-8bit"},
        {"fused", "fused-optimizer"},
        {"lion", "optimizer-lion"},
        {"adafactor", "optimizer-adafactor"},
        {"galore", "optimizer-galore"},
        {"apollo", "optimizer-apollo"},
        {"muon", "optimizer-muon"},
        {"lomo", "optimizer-in-backward"},
        {"cpuadam", "offload-optimizer"},
        {"cpuoffload", "offload-optimizer"},
        {"zerooneadam", ""},
    }};
    for (const auto& [word, fix] : kWords) {
        if (!fix.empty() && has(value, word)) {
            g.switchOn(fix, s);
        }
    }
    if (has(value, "8bit") && has(value, "paged")) {
        g.switchOn("optimizer-paged-8bit", s);
    }
    if (value == "sgd" || value.ends_with(".sgd")) {
        g.switchOn("optimizer-sgd", s);
    }
}
void momentum(const Setting& s, ConfigBuilder& g)
{
    double value = 0;
    const auto [rest, error] =
        std::from_chars(s.value.data(), s.value.data() + s.value.size(), value);
    if (error == std::errc() && rest == s.value.data() + s.value.size() && value >= 0) {
        g.config.momentum = value;
    }
}
void amsgrad(const Setting& s, ConfigBuilder& g)
{
    g.config.amsgrad = isTrue(lowered(s.value));
}
void fusedLoss(const Setting& s, ConfigBuilder& g)
{
    const std::string value = lowered(s.value);
    if (isTrue(value) || has(value, "chunked") || has(value, "linearcrossentropy")) {
        g.switchOn("fused-loss", s);
    }
}
void attention(const Setting& s, ConfigBuilder& g)
{
    const std::string value = lowered(s.value);
    if (isTrue(value) || has(value, "flash") || has(value, "sdpa") || value == "fa2"
        || value == "fa3") {
        g.switchOn("attention-flash", s);
    }
}
void evalAccumulation(const Setting& s, ConfigBuilder& g)
{
    if (wholeNumber(s.value)) {
        g.switchOn("evaluation-accumulation", s);
    }
}
void adapter(const Setting& s, ConfigBuilder& g)
{
    const std::string value = lowered(s.value);
    if (isTrue(value) || has(value, "lora") || wholeNumber(value)) {
        g.switchOn("lora", s);
    }
    if (value == "qlora") {
        g.switchOn("qlora", s);
    }
}
void fourBits(const Setting& s, ConfigBuilder& g)
{
    if (isTrue(s.value) || s.value == "4") {
        g.switchOn("lora", s); // over a base of 4 bits nothing else is trained
        g.switchOn("qlora", s);
    }
}
void allocator(const Setting& s, ConfigBuilder& g)
{
    g.config.allocator = s.value;
    if (has(lowered(s.value), "expandable_segments:true")) {
        g.switchOn("expandable-segments", s);
    }
    if (has(s.value, "max_split_size_mb")) {
        g.switchOn("max-split-size", s);
    }
    if (has(s.value, "garbage_collection_threshold")) {
        g.switchOn("garbage-collection", s);
    }
    if (has(s.value, "roundup_power2_divisions")) {
        g.switchOn("roundup-power2", s);
    }
}
template <int N>
void switchedOn(const Setting& s, ConfigBuilder& g)
{
    static constexpr std::array<std::string_view, 5> kFixes{"gradient-bucket-view", "graph-eager",
                                                            "set-to-none", "optimizer-in-backward",
                                                            "cudnn-benchmark-off"};
    if (N == 4 ? isFalse(s.value) : isTrue(s.value)) {
        g.switchOn(kFixes[N], s);
    }
}
void cacheType(const Setting& s, ConfigBuilder& g)
{
    if (has(lowered(s.value), "fp8")) {
        g.switchOn("kv-cache-fp8", s);
    }
}
void nothing(const Setting&, ConfigBuilder&) { }

/// The first whose path is the setting's, or its end after a dot.
constexpr std::array kNames = std::to_array<Name>({
    // micro-batch, accumulation, sequence
    {"per_device_train_batch_size", microBatch},
    {"per_gpu_train_batch_size", microBatch},
    {"train_micro_batch_size_per_gpu", microBatch},
    {"ppo_micro_batch_size_per_gpu", microBatch},
    {"micro_batch_size_per_gpu", microBatch},
    {"log_prob_micro_batch_size_per_gpu", nothing},
    {"micro_batch_size", microBatch},
    {"local_batch_size", microBatch},
    {"mbs", microBatch},
    {"eval_batch_size", nothing},
    {"per_device_eval_batch_size", nothing},
    {"data.train_batch_size", nothing}, // prompts per rollout, no memory
    {"ppo_mini_batch_size", globalBatch},
    {"global_batch_size", globalBatch},
    {"train_batch_size", globalBatch},
    {"batch_size", microBatch},
    {"gradient_accumulation_steps", accumulation},
    {"accumulate_grad_batches", accumulation},
    {"grad_accum_steps", accumulation},
    {"max_prompt_length", promptLength},
    {"max_response_length", responseLength},
    {"rollout.n", samplesPerPrompt},
    {"max_seq_length", sequence},
    {"max_seq_len", sequence},
    {"model_max_length", sequence},
    {"max_model_len", sequence},
    {"sequence_len", sequence},
    {"seq_length", sequence},
    {"seq_len", sequence},
    {"cutoff_len", sequence},
    {"max_length", sequence},
    {"block_size", sequence},
    // how many GPUs
    {"nproc_per_node", processes},
    {"n_gpus_per_node", processes},
    {"num_gpus", processes},
    {"num_processes", allProcesses},
    {"world_size", allProcesses},
    {"devices", devices},
    {"include", gpuList},
    {"cuda_visible_devices", gpuList},
    {"nnodes", nodes},
    {"num_nodes", nodes},
    {"num_machines", nothing}, // accelerate's num_processes counts all machines
    {"rollout.tensor_model_parallel_size", nothing},
    {"tensor_model_parallel_size", sharedModel},
    {"pipeline_model_parallel_size", sharedModel},
    {"context_parallel_size", sharedModel},
    {"tensor_parallel_size", sharedModel},
    {"pipeline_parallel_size", sharedModel},
    // precision
    {"bf16.enabled", bf16Flag},
    {"bfloat16.enabled", bf16Flag},
    {"fp16.enabled", fp16Flag},
    {"bf16", bf16Flag},
    {"fp16", fp16Flag},
    {"mixed_precision", precisionWord},
    {"precision", precisionWord},
    {"torch_dtype", weightType},
    {"model_dtype", weightType},
    {"dtype", weightType},
    // sharding, offload
    {"zero_optimization.stage", zeroStage},
    {"zero_stage", zeroStage},
    {"use_zero1", zeroOne},
    {"deepspeed", deepspeedName},
    {"fsdp_sharding_strategy", fsdpWords},
    {"sharding_strategy", fsdpWords},
    {"fsdp_reshard_after_forward", reshards},
    {"reshard_after_forward", reshards},
    {"fsdp", fsdpWords},
    {"allgather_bucket_size", shardingSize},
    {"reduce_bucket_size", shardingSize},
    {"overlap_comm", shardingSize},
    {"stage3_max_live_parameters", shardingSize},
    {"stage3_param_persistence_threshold", shardingSize},
    {"reduce_dtype", shardingSize},
    {"strategy", strategy},
    {"use_distributed_optimizer", distributedOptimizer},
    {"use_fsdp", shardsByDefault},
    {"use_torch_fsdp2", shardsByDefault},
    {"offload_optimizer.device", offloadOptimizer},
    {"offload_optimizer_device", offloadOptimizer},
    {"optimizer_offload", offloadOptimizer},
    {"optimizer_cpu_offload", offloadOptimizer},
    {"offload_param.device", offloadParameters},
    {"offload_param_device", offloadParameters},
    {"param_offload", offloadParameters},
    {"fsdp_offload_params", offloadBoth},
    {"fsdp_cpu_offload", offloadBoth},
    {"activation_offloading", offloadActivations},
    {"enable_activation_offloading", offloadActivations},
    {"enable_activation_offload", offloadActivations},
    // activations
    {"gradient_checkpointing", checkpointing},
    {"enable_gradient_checkpointing", checkpointing},
    {"use_gradient_checkpointing", checkpointing},
    {"fsdp_activation_checkpointing", checkpointing},
    {"enable_activation_checkpointing", checkpointing},
    {"activation_checkpointing", checkpointing},
    {"activation_checkpoint.mode", checkpointing},
    {"recompute_granularity", checkpointing},
    {"recompute_activations", recomputes},
    {"attn_implementation", attention},
    {"use_flash_attn", attention},
    {"flash_attention", attention},
    {"flash_attn", attention},
    {"sdp_attention", attention},
    {"use_liger_kernel", fusedLoss},
    {"enable_liger_kernel", fusedLoss},
    {"use_liger", fusedLoss},
    {"liger_fused_linear_cross_entropy", fusedLoss},
    {"cut_cross_entropy", fusedLoss},
    {"use_fused_kernels", fusedLoss},
    {"loss._component_", fusedLoss},
    {"eval_accumulation_steps", evalAccumulation},
    // optimizer, adapters
    {"optim", optimizer},
    {"optimizer.type", optimizer},
    {"optimizer._component_", optimizer},
    {"optimizer._target_", optimizer},
    {"optimizer.class_path", optimizer},
    {"optimizer", optimizer},
    {"optimizer_in_bwd", switchedOn<3>},
    {"momentum", momentum},
    {"sgd_momentum", momentum},
    {"amsgrad", amsgrad},
    {"gradient_as_bucket_view", switchedOn<0>},
    {"use_peft", adapter},
    {"peft_type", adapter},
    {"lora_r", adapter},
    {"lora_rank", adapter},
    {"loraconfig.r", adapter},
    {"finetuning_type", adapter},
    {"train_type", adapter},
    {"tuner_type", adapter},
    {"use_lora", adapter},
    {"use_qlora", fourBits},
    {"qlora", fourBits},
    {"adapter", adapter},
    {"load_in_4bit", fourBits},
    {"quantization_bit", fourBits},
    // allocator, graphs, serving
    {"pytorch_cuda_alloc_conf", allocator},
    {"pytorch_alloc_conf", allocator},
    {"pytorch_hip_alloc_conf", allocator},
    {"enforce_eager", switchedOn<1>},
    {"kv_cache_dtype", cacheType},
    {"cudnn_benchmark", switchedOn<4>},
    {"rollout.gpu_memory_utilization", nothing}, // the engine's, which sleeps while it trains
    {"rollout.name", nothing},
    {"debug", nothing}, // see warningsOn
    {"detect_anomaly", nothing},
    {"launcher", nothing},
});

const Name* nameOf(std::string_view path)
{
    const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const Name& name) {
        return path == name.path
            || (path.ends_with(name.path) && path[path.size() - name.path.size() - 1] == '.');
    });
    return found == kNames.end() ? nullptr : &*found;
}

} // namespace

std::string_view settingName(std::string_view path)
{
    const Name* name = nameOf(path);
    return name == nullptr ? path : name->path;
}

bool understand(const Setting& setting, ConfigBuilder& builder)
{
    const Name* name = nameOf(setting.path);
    if (name == nullptr) {
        return false;
    }
    name->meaning(setting, builder);
    return true;
}

} // namespace tidemark::config
