// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/bucket.h"

#include "core/base/in_order.h"
#include "core/base/language.h"
#include "core/program/program_input.h"

#include <algorithm>

namespace tidemark::label {

using program::Usage;

constexpr std::array<BucketInfo, kBucketCount> kBuckets{{
    {.bucket = Bucket::parameter,
     .id = "parameter",
     .name = toSay("Parameters"),
     .noun = toSay("weights"),
     .what = toSay("Weights and buffers of the model."),
     .colour = "#4477AA",
     .letter = 'P',
     .kind = Usage::weight,
     .firmness = 9,
     .is_lasting = true,
     .outranks_lifetime = true,
     .roles = {Role::trainable, Role::frozen, Role::ema, Role::second_model, Role::unsharded,
               Role::master}},
    {.bucket = Bucket::optimizer_state,
     .id = "optimizer_state",
     .name = toSay("Optimizer state"),
     .noun = toSay("optimizer state"),
     .is_plural = false,
     .what = toSay("Moments and whatever else the optimizer keeps."),
     .colour = "#228833",
     .letter = 'O',
     .kind = Usage::state,
     .firmness = 8,
     .is_lasting = true,
     .roles = {Role::paged}},
    {.bucket = Bucket::gradient,
     .id = "gradient",
     .name = toSay("Gradients"),
     .noun = toSay("gradients"),
     .what = toSay("What ends up in .grad."),
     .colour = "#EE6677",
     .letter = 'G',
     .kind = Usage::gradient,
     .firmness = 7,
     .roles = {Role::accumulated, Role::reduction_bucket, Role::unsharded}},
    {.bucket = Bucket::kv_cache,
     .id = "kv_cache",
     .name = toSay("KV cache"),
     .noun = toSay("KV cache"),
     .is_plural = false,
     .what = toSay("Keys and values kept between generated tokens."),
     .colour = "#882255",
     .letter = 'K',
     .kind = Usage::result,
     .firmness = 6,
     .outranks_lifetime = true},
    {.bucket = Bucket::input,
     .id = "input",
     .name = toSay("Inputs"),
     .noun = toSay("inputs"),
     .what = toSay("Batches the program loads."),
     .colour = "#66CCEE",
     .letter = 'I',
     .kind = Usage::input,
     .firmness = 5},
    {.bucket = Bucket::activation,
     .id = "activation",
     .name = toSay("Activations"),
     .noun = toSay("activations"),
     .what = toSay("Allocated in forward and kept for backward."),
     .colour = "#DDAA33",
     .letter = 'A',
     .kind = Usage::saved,
     .roles = {Role::logits, Role::attention_matrix, Role::weight_cast, Role::checkpoint_input,
               Role::recomputed}},
    {.bucket = Bucket::output,
     .id = "output",
     .name = toSay("Outputs"),
     .noun = toSay("outputs"),
     .what = toSay("Results the program keeps, such as predictions or losses."),
     .colour = "#44AA99",
     .letter = 'Y',
     .kind = Usage::result,
     .firmness = 4},
    {.bucket = Bucket::temporary,
     .id = "temporary",
     .name = toSay("Temporaries"),
     .noun = toSay("temporaries"),
     .what = toSay("Freed in the phase that allocated it."),
     .colour = "#AA3377",
     .letter = 'T',
     .kind = Usage::scratch,
     .roles = {Role::activation_gradient, Role::optimizer_transient}},
    {.bucket = Bucket::workspace,
     .id = "workspace",
     .name = toSay("Workspaces"),
     .noun = toSay("workspaces"),
     .what = toSay("Buffers of cuBLAS, cuDNN, autotuning and compiled code."),
     .colour = "#999933",
     .letter = 'W',
     .kind = Usage::workspace,
     .outranks_lifetime = true},
    {.bucket = Bucket::communication,
     .id = "communication",
     .name = toSay("Communication"),
     .noun = toSay("communication buffers"),
     .what = toSay("Buffers of NCCL and other collectives."),
     .colour = "#332288",
     .letter = 'C',
     .kind = Usage::communication,
     .outranks_lifetime = true},
    {.bucket = Bucket::unknown,
     .id = "unknown",
     .name = toSay("Unknown"),
     .noun = toSay("unlabelled allocations"),
     .what = toSay("Its purpose is not known."),
     .colour = "#BBBBBB",
     .letter = '?',
     .kind = Usage::unknown},
}};

constexpr std::array<RoleInfo, kRoleCount> kRoles{{
    {},
    {Role::trainable, "trainable", toSay("trainable"), toSay("Weights that get gradients.")},
    {Role::frozen, "frozen", toSay("frozen"), toSay("Weights that get no gradients.")},
    {Role::ema, "ema", toSay("ema"), toSay("A moving average of the weights.")},
    {Role::second_model, "second_model", toSay("second model"),
     toSay("Weights of another model, such as a teacher.")},
    {Role::unsharded, "unsharded", toSay("unsharded"), toSay("Gathered whole by FSDP or ZeRO-3.")},
    {Role::master, "master", toSay("master"), toSay("An fp32 copy of 16-bit weights.")},
    {Role::accumulated, "accumulated", toSay("accumulated"),
     toSay("Summed over several backwards.")},
    {Role::reduction_bucket, "reduction_bucket", toSay("reduction bucket"),
     toSay("A buffer in which DDP reduces gradients.")},
    {Role::paged, "paged", toSay("paged"), toSay("Optimizer state that can move to the CPU.")},
    {Role::logits, "logits", toSay("logits"), toSay("Scores over the vocabulary.")},
    {Role::attention_matrix, "attention_matrix", toSay("attention matrix"),
     toSay("Scores of each position against each.")},
    {Role::weight_cast, "weight_cast", toSay("weight cast"),
     toSay("A 16-bit copy of weights, made by autocast.")},
    {Role::checkpoint_input, "checkpoint_input", toSay("checkpoint input"),
     toSay("Input of a checkpointed block, kept to recompute it.")},
    {Role::recomputed, "recomputed", toSay("recomputed"), toSay("Recomputed in backward.")},
    {Role::activation_gradient, "activation_gradient", toSay("activation gradient"),
     toSay("The gradient of an activation.")},
    {Role::optimizer_transient, "optimizer_transient", toSay("optimizer transient"),
     toSay("Freed within the optimizer step that allocated it.")},
}};

constexpr std::array<PhaseInfo, kPhaseCount> kPhases{{
    {Phase::setup, "setup", toSay("Setup"), toSay("setup"), "#C9CDD3",
     toSay("while creating the model"), toSay("while creating the model")},
    {Phase::input, "input", toSay("Input"), toSay("input"), "#B4BAC2",
     toSay("while loading a batch"), toSay("while loading the batch of step {}")},
    {Phase::forward, "forward", toSay("Forward"), toSay("forward"), "#7AA6D6", toSay("in forward"),
     toSay("in forward of step {}")},
    {Phase::backward, "backward", toSay("Backward"), toSay("backward"), "#E59AA3",
     toSay("in backward"), toSay("in backward of step {}")},
    {Phase::optimizer, "optimizer", toSay("Optimizer"), toSay("optimizer"), "#8FC49A",
     toSay("in the optimizer"), toSay("in the optimizer of step {}")},
    {Phase::evaluation, "evaluation", toSay("Evaluation"), toSay("evaluation"), "#B8A0D0",
     toSay("in evaluation"), toSay("in evaluation")},
    {Phase::inference, "inference", toSay("Inference"), toSay("inference"), "#8FC9C4",
     toSay("in inference"), toSay("in inference")},
    {Phase::other, "other", toSay("Other"), toSay("other"), "#DADDE1", toSay("outside any step"),
     toSay("after step {}")},
}};

namespace {

static_assert(isInOrder(kBuckets, &BucketInfo::bucket));
static_assert(isInOrder(kRoles, &RoleInfo::role));
static_assert(isInOrder(kPhases, &PhaseInfo::phase));

template <class Info, std::size_t N>
std::vector<std::string_view> idsIn(const std::array<Info, N>& table)
{
    std::vector<std::string_view> ids;
    for (const Info& info : table) {
        if (!info.id.empty()) {
            ids.push_back(info.id);
        }
    }
    return ids;
}

template <class E, class Info, std::size_t N>
std::optional<E> fromId(const std::array<Info, N>& table, std::string_view id)
{
    const auto it = std::ranges::find(table, id, &Info::id);
    return it == table.end() || id.empty() ? std::nullopt
                                           : std::optional(static_cast<E>(it - table.begin()));
}

} // namespace

std::vector<std::string_view> bucketIds()
{
    return idsIn(kBuckets);
}
std::vector<std::string_view> roleIds()
{
    return idsIn(kRoles);
}
std::vector<std::string_view> phaseIds()
{
    return idsIn(kPhases);
}

std::optional<Bucket> bucketFromId(std::string_view id)
{
    return fromId<Bucket>(kBuckets, id);
}
std::optional<Role> roleFromId(std::string_view id)
{
    return fromId<Role>(kRoles, id);
}
std::optional<Phase> phaseFromId(std::string_view id)
{
    return fromId<Phase>(kPhases, id);
}

std::span<const Role> rolesOf(Bucket bucket)
{
    const auto& roles = infoOf(bucket).roles;
    return {roles.begin(), std::ranges::find(roles, Role::none)};
}

std::string_view bucketName(Bucket bucket)
{
    return translated(infoOf(bucket).name);
}
std::string_view bucketNoun(Bucket bucket)
{
    return translated(infoOf(bucket).noun);
}
std::string_view roleWords(Role role)
{
    return translated(infoOf(role).name);
}
std::string_view phaseName(Phase phase)
{
    return translated(infoOf(phase).name);
}
std::string_view phaseNoun(Phase phase)
{
    return translated(infoOf(phase).noun);
}

} // namespace tidemark::label
