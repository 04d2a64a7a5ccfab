// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/fix_conditions.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tidemark::diagnose {
namespace {

using ConditionBits = std::uint16_t;
constexpr ConditionBits kNeedsBackward =
    1; ///< A backward runs: gradients, optimizer, saved activations.
constexpr ConditionBits kNeedsGpuMemory = 2; ///< The GPU's memory ran out.
constexpr ConditionBits kNeedsOwnMemory = 4; ///< This process fills it.
constexpr ConditionBits kNeedsGpus = 8; ///< There is more than one GPU.
constexpr ConditionBits kNeedsAdam = 16;
constexpr ConditionBits kNeedsLarge = 32; ///< A large model, most of whose weights are linear.
constexpr ConditionBits kNeedsStates = 64; ///< More than one tensor fills the GPU.
constexpr ConditionBits kNeedsTokens = 128;
constexpr ConditionBits kNeedsImages = 256;
constexpr ConditionBits kNeedsForward = 512; ///< Nothing but a forward runs.
constexpr ConditionBits kNeedsBatch = 1024; ///< More than one sample at a time.
constexpr ConditionBits kNeedsRun = kNeedsGpuMemory | kNeedsOwnMemory;
constexpr ConditionBits kNeedsTraining = kNeedsRun | kNeedsBackward;
constexpr ConditionBits kNeedsStateRun = kNeedsTraining | kNeedsStates | kNeedsLarge;

struct ConditionRow {
    std::string_view fix;
    ConditionBits needs = 0;
};
constexpr std::array<ConditionRow, 42> kConditions{{
    {"micro-batch", kNeedsTraining | kNeedsBatch},
    {"bf16", kNeedsTraining},
    {"bf16-pure", kNeedsTraining},
    {"checkpointing-selective", kNeedsTraining},
    {"checkpointing-full", kNeedsTraining},
    {"compile-budget", kNeedsTraining},
    {"set-to-none", kNeedsTraining},
    {"gradient-bucket-view", kNeedsTraining | kNeedsGpus},
    {"fused-optimizer", kNeedsTraining},
    {"foreach-off", kNeedsTraining},
    {"optimizer-in-backward", kNeedsTraining},
    {"optimizer-8bit", kNeedsStateRun | kNeedsAdam},
    {"optimizer-paged-8bit", kNeedsStateRun | kNeedsAdam},
    {"optimizer-lion", kNeedsStateRun | kNeedsAdam},
    {"optimizer-adafactor", kNeedsStateRun | kNeedsAdam},
    {"optimizer-muon", kNeedsStateRun | kNeedsAdam},
    {"optimizer-galore", kNeedsStateRun | kNeedsAdam},
    {"optimizer-apollo", kNeedsStateRun | kNeedsAdam},
    {"optimizer-sgd", kNeedsStateRun | kNeedsAdam},
    {"offload-optimizer", kNeedsStateRun},
    {"offload-activations", kNeedsTraining},
    {"fused-loss", kNeedsTraining | kNeedsTokens},
    {"lora", kNeedsStateRun},
    {"qlora", kNeedsStateRun},
    {"zero-1", kNeedsStateRun | kNeedsGpus},
    {"zero-2", kNeedsStateRun | kNeedsGpus},
    {"zero-3", kNeedsStateRun | kNeedsGpus},
    {"tensor-parallel", kNeedsRun | kNeedsGpus | kNeedsLarge},
    {"pipeline-parallel", kNeedsRun | kNeedsGpus | kNeedsLarge},
    {"context-parallel", kNeedsRun | kNeedsGpus | kNeedsLarge},
    {"expandable-segments", kNeedsRun},
    {"allocator-settings", kNeedsRun},
    {"max-split-size", kNeedsRun},
    {"sequence", kNeedsRun | kNeedsTokens},
    {"resolution", kNeedsRun | kNeedsImages},
    {"inference-batch", kNeedsRun | kNeedsForward | kNeedsBatch},
    {"longest-batch", kNeedsRun},
    {"attention-flash", kNeedsRun},
    {"weights-16bit", kNeedsRun},
    {"weights-8bit", kNeedsRun | kNeedsLarge},
    {"weights-4bit", kNeedsRun | kNeedsLarge},
    {"leak", kNeedsRun},
}};

ConditionBits contradictedBy(const TextFacts& facts)
{
    return static_cast<ConditionBits>(
        (facts.runsForwardOnly() ? kNeedsBackward : 0) | (facts.is_host ? kNeedsGpuMemory : 0)
        | (facts.is_of_others ? kNeedsOwnMemory : 0) | (facts.is_one_gpu ? kNeedsGpus : 0)
        | (facts.has_other_optimizer ? kNeedsAdam : 0) | (facts.is_small ? kNeedsLarge : 0)
        | (facts.is_one_tensor ? kNeedsStates : 0) | (facts.is_one_sample ? kNeedsBatch : 0)
        | (facts.is_of_images ? kNeedsTokens : 0) | (facts.is_of_tokens ? kNeedsImages : 0)
        | (facts.runsForwardOnly() ? 0 : kNeedsForward));
}

/// Loading weights in more bits than they have, or in as many.
bool widensWeights(std::string_view fix, int weight_bits)
{
    return weight_bits < 16
        && (fix == "weights-16bit" || (fix == "weights-8bit" && weight_bits <= 8)
            || (fix == "weights-4bit" && weight_bits <= 4));
}

} // namespace

bool mayApply(std::string_view fix, const TextFacts& facts)
{
    if (widensWeights(fix, facts.weight_bits)) {
        return false;
    }
    const auto* const known = std::ranges::find(kConditions, fix, &ConditionRow::fix);
    return known == kConditions.end() || (known->needs & contradictedBy(facts)) == 0;
}

} // namespace tidemark::diagnose
