// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/bucket.h"

#include "core/base/language.h"

#include <algorithm>

namespace tidemark::label {
namespace {

constexpr std::array<std::string_view, kBucketCount> kBucketIds{
    "parameter", "optimizer_state", "gradient",  "kv_cache",      "input",  "activation",
    "output",    "temporary",       "workspace", "communication", "unknown"};
constexpr std::array<std::string_view, kBucketCount> kBucketNames{
    toSay("Parameters"), toSay("Optimizer state"), toSay("Gradients"), toSay("KV cache"),
    toSay("Inputs"),     toSay("Activations"),     toSay("Outputs"),   toSay("Temporaries"),
    toSay("Workspaces"), toSay("Communication"),   toSay("Unknown")};
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
constexpr std::array<std::string_view, kRoleIds.size()> kRoleWords{"",
                                                                   toSay("trainable"),
                                                                   toSay("frozen"),
                                                                   toSay("ema"),
                                                                   toSay("second model"),
                                                                   toSay("unsharded"),
                                                                   toSay("master"),
                                                                   toSay("accumulated"),
                                                                   toSay("reduction bucket"),
                                                                   toSay("paged"),
                                                                   toSay("logits"),
                                                                   toSay("attention matrix"),
                                                                   toSay("weight cast"),
                                                                   toSay("checkpoint input"),
                                                                   toSay("recomputed"),
                                                                   toSay("activation gradient"),
                                                                   toSay("optimizer transient")};
constexpr std::array<std::string_view, kPhaseCount> kPhaseIds{
    "setup", "input", "forward", "backward", "optimizer", "evaluation", "inference", "other"};
constexpr std::array<std::string_view, kPhaseCount> kPhaseNames{
    toSay("Setup"),     toSay("Input"),      toSay("Forward"),   toSay("Backward"),
    toSay("Optimizer"), toSay("Evaluation"), toSay("Inference"), toSay("Other")};

constexpr std::array<std::string_view, kPhaseCount> kPhaseNouns{
    toSay("setup"),     toSay("input"),      toSay("forward"),   toSay("backward"),
    toSay("optimizer"), toSay("evaluation"), toSay("inference"), toSay("other")};

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
    return translated(kBucketNames[at(bucket)]);
}
std::string_view roleWords(Role role)
{
    return translated(kRoleWords[at(role)]);
}
std::string_view phaseName(Phase phase)
{
    return translated(kPhaseNames[at(phase)]);
}

std::string_view phaseNoun(Phase phase)
{
    return translated(kPhaseNouns[at(phase)]);
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
