// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/bucket.h"

#include <algorithm>

namespace tidemark::label {
namespace {

constexpr std::array<std::string_view, kBucketCount> kBucketIds{
    "parameter", "optimizer_state", "gradient",  "kv_cache",      "input",  "activation",
    "output",    "temporary",       "workspace", "communication", "unknown"};
constexpr std::array<std::string_view, kBucketCount> kBucketNames{
    "Parameters", "Optimizer state", "Gradients",  "KV cache",      "Inputs", "Activations",
    "Outputs",    "Temporaries",     "Workspaces", "Communication", "Unknown"};
constexpr std::array<std::string_view, 17> kRoleIds{"",
                                                    "trainable",
                                                    "frozen",
                                                    "ema",
                                                    "second_model",
                                                    "unsharded",
                                                    "master",
                                                    "accumulated",
                                                    "reduction_bucket",
                                                    "paged",
                                                    "logits",
                                                    "attention_matrix",
                                                    "weight_cast",
                                                    "checkpoint_input",
                                                    "recomputed",
                                                    "activation_gradient",
                                                    "optimizer_transient"};
constexpr std::array<std::string_view, kPhaseCount> kPhaseIds{
    "setup", "input", "forward", "backward", "optimizer", "evaluation", "inference", "other"};
constexpr std::array<std::string_view, kPhaseCount> kPhaseNames{
    "Setup", "Input", "Forward", "Backward", "Optimizer", "Evaluation", "Inference", "Other"};

template <class E>
constexpr std::size_t at(E e)
{
    return static_cast<std::size_t>(e);
}

template <class E, std::size_t N>
std::optional<E> fromId(const std::array<std::string_view, N>& ids, std::string_view id)
{
    const auto it = std::ranges::find(ids, id);
    if (it == ids.end() || id.empty()) {
        return std::nullopt;
    }
    return static_cast<E>(it - ids.begin());
}

} // namespace

std::string_view bucketId(Bucket bucket)
{
    return kBucketIds[at(bucket)];
}
std::string_view roleId(Role role)
{
    return kRoleIds[at(role)];
}
std::string_view phaseId(Phase phase)
{
    return kPhaseIds[at(phase)];
}
std::string_view bucketName(Bucket bucket)
{
    return kBucketNames[at(bucket)];
}
std::string_view phaseName(Phase phase)
{
    return kPhaseNames[at(phase)];
}

std::optional<Bucket> bucketFromId(std::string_view id)
{
    return fromId<Bucket>(kBucketIds, id);
}
std::optional<Role> roleFromId(std::string_view id)
{
    return fromId<Role>(kRoleIds, id);
}
std::optional<Phase> phaseFromId(std::string_view id)
{
    return fromId<Phase>(kPhaseIds, id);
}

} // namespace tidemark::label
