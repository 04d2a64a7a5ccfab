// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/causes/recipe.h"
#include "core/diagnose/fixes/batch_words.h"
#include "core/diagnose/fixes/fix_effects.h"
#include "core/diagnose/fixes/fix_helpers.h"
#include "core/diagnose/fixes/fixes.h"
#include "core/diagnose/predict/laws.h"
#include "core/label/stacks/frame_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;
using label::Trait;

const StateBytes& statesOf(const FixInput& f)
{
    return f.in.facts.states;
}

/// Gradients as they will stand at the end of a backward pass that has begun.
std::int64_t gradientBytes(const FixInput& f)
{
    return f.in.facts.phaseAtMoment() == Phase::backward
        ? std::max(statesOf(f).gradients, statesOf(f).trainable)
        : statesOf(f).gradients;
}

// --- what follows the batch -------------------------------------------------------------------

FixEvidence seeMicroBatch(const FixInput& f)
{
    const std::int64_t bytes = f.inTraining() ? f.in.measures.pass.bytes : 0;
    return unlessOneSample(f, {f.shareOfLive(bytes) >= kWorthIt, false, withBytes(bytes)});
}

FixEvidence seeEvaluationBatch(const FixInput& f)
{
    const bool in_evaluation = f.in.facts.phaseAtMoment() == Phase::evaluation;
    const std::int64_t bytes = in_evaluation ? f.in.measures.pass.bytes : 0;
    return {f.shareOfLive(bytes) >= kWorthIt, false, withBytes(bytes)};
}

FixEvidence seeEvaluationAccumulation(const FixInput& f)
{
    const Growth& growth = f.in.basis.growth;
    const bool collects = growth.kind == GrowthKind::evaluation && !growth.is_graph;
    FixEvidence e{collects, false, withBytes(growth.bytes)};
    e.figures["per_turn"] = Bytes{growth.per_turn};
    e.host = Bytes{growth.bytes};
    return e;
}

FixEvidence seeSequence(const FixInput& f)
{
    const Sum& attention = f.in.measures.attention;
    return {f.inTraining() && f.shareOfLive(attention.bytes) >= kWorthIt, false,
            withBytes(attention.taken())};
}

FixEvidence seeLongestBatch(const FixInput& f)
{
    FixEvidence e{f.hasCause(Cause::longest_batch), false, {}};
    e.figures["times"] = say("{:.1f}", largerThanBefore(f.in));
    return e;
}

// --- activations ------------------------------------------------------------------------------

FixEvidence seeBf16(const FixInput& f)
{
    const Sum pass = f.in.facts.phaseAtMoment() == Phase::optimizer ? Sum{} : f.in.measures.pass;
    return {f.shareOfLive(pass.bytes) >= kWorthIt, f.in.facts.sixteen_bit,
            withWidth(f, pass.taken())};
}

FixEvidence seePureBf16(const FixInput& f)
{
    const Facts& facts = f.in.facts;
    const std::int64_t bytes = f.in.total() - facts.bucketAtMoment(Bucket::unknown);
    // Of weights alone nothing tells that they are trained.
    const bool may_train = f.in.run != RunCase::unknown || holdsTrainingState(facts);
    // Of a state that is shared among ranks, or wider than the weights, its size tells nothing.
    static constexpr double kLeastCopies = 0.9;
    static constexpr double kMostCopies =
        3.4; // Adam's two, AMSGrad's three; in 32 bits twice that.
    const bool is_state_narrow =
        facts.states.copies >= kLeastCopies && facts.states.copies <= kMostCopies;
    // Autocast computes in 16 bits with weights in 32: these and their states are left to halve.
    return {may_train && f.shareOfLive(bytes) >= kWorthIt && !facts.sixteen_bit_states
                && knowsRecipe(facts),
            facts.sixteen_bit_states && is_state_narrow, withWidth(f, bytes)};
}

bool checkpointsAlready(const FixInput& f)
{
    return f.hasTrait(Trait::checkpoint) || f.hasTrait(Trait::recompute);
}

/// Bytes that repeated blocks keep for backward at the moment.
std::int64_t savedInBlocks(const FixInput& f, bool attention_only)
{
    const Facts& facts = f.in.facts;
    std::int64_t sum = 0;
    if (!f.inTraining() || facts.layers.count < 2) {
        return 0;
    }
    for (const AllocationId a : facts.ids()) {
        const bool counts = facts.layers.of[a.index()] >= 0 && facts.bucket(a) == Bucket::activation
            && facts.isLive(a) && (!attention_only || facts.role(a) == Role::attention_matrix);
        sum += counts ? facts.bytes(a) : 0;
    }
    return sum;
}

FixEvidence seeSelective(const FixInput& f)
{
    const std::int64_t bytes = savedInBlocks(f, true);
    return {f.shareOfLive(bytes) >= kWorthIt, checkpointsAlready(f), withBytes(bytes)};
}

FixEvidence seeCheckpointing(const FixInput& f)
{
    const std::int64_t bytes = savedInBlocks(f, false);
    FixEvidence e{f.shareOfLive(bytes) >= kWorthIt, checkpointsAlready(f), withBytes(bytes)};
    e.figures["layers"] = formatCount(f.in.facts.layers.count);
    return e;
}

FixEvidence seeFlash(const FixInput& f)
{
    const Sum& attention = f.in.measures.attention;
    return {f.shareOfLive(attention.bytes) >= kWorthIt, false, withBytes(attention.taken())};
}

FixEvidence seeFusedLoss(const FixInput& f)
{
    const Sum& logits = f.in.measures.logits;
    return {f.inTraining() && f.shareOfLive(logits.bytes) >= kWorthIt, false,
            withBytes(logits.taken())};
}

FixEvidence seeOffloadActivations(const FixInput& f)
{
    const std::int64_t bytes = savedInBlocks(f, false);
    FixEvidence e{f.shareOfLive(bytes) >= kWorthIt, false, withBytes(bytes)};
    e.host = Bytes{bytes};
    return e;
}

// --- weights and sharing ----------------------------------------------------------------------

FixEvidence seeSharing(const FixInput& f, std::int64_t bytes, const std::string& holds_little)
{
    FixEvidence e{f.gpus >= 2 && f.shareOfLive(bytes) >= kWorthIt, false, withBytes(bytes)};
    e.figures["gpus"] = f.gpus < 2 ? std::string(toSay("several")) : fmt::format("{}", f.gpus);
    e.figures["block"] = fmt::format("{}", blockElements(f.in.facts));
    e.figures["two_blocks"] = fmt::format("{}", 2 * blockElements(f.in.facts));
    e.figures["missing"] =
        f.gpus < 2 ? say("One GPU cannot shard: give the number of GPUs.") : holds_little;
    return e;
}

FixEvidence seeZero1(const FixInput& f)
{
    const std::int64_t bytes = optimizerBytes(f);
    return seeSharing(f, bytes, say("Optimizer state takes only {} at the peak.", Bytes{bytes}));
}
FixEvidence seeZero2(const FixInput& f)
{
    const std::int64_t bytes = optimizerBytes(f) + gradientBytes(f);
    return seeSharing(f, bytes,
                      say("Gradients and optimizer state take only {} at the peak.", Bytes{bytes}));
}
FixEvidence seeZero3(const FixInput& f)
{
    const std::int64_t bytes = optimizerBytes(f) + gradientBytes(f) + statesOf(f).parameters;
    return seeSharing(
        f, bytes,
        say("Weights, gradients and optimizer state take only {} at the peak.", Bytes{bytes}));
}

FixEvidence seeOffloadParameters(const FixInput& f)
{
    const std::int64_t bytes = statesOf(f).parameters;
    FixEvidence e{f.shareOfLive(bytes) >= kLargePart, false, withBytes(bytes)};
    e.figures["two_blocks"] = fmt::format("{}", 2 * blockElements(f.in.facts));
    e.host = Bytes{bytes};
    return e;
}

FixEvidence seeLora(const FixInput& f)
{
    static constexpr double kFewTrained = 0.1;
    const std::int64_t bytes = gradientBytes(f) + optimizerBytes(f);
    const StateBytes& s = statesOf(f);
    const double trained = s.parameters <= 0
        ? 1
        : static_cast<double>(s.trainable) / static_cast<double>(s.parameters);
    const bool saw_training = s.gradients_full > 0 || s.optimizer > 0;
    const bool is_known = knowsRecipe(f.in.facts);
    FixEvidence e{f.shareOfLive(bytes) >= kWorthIt && is_known,
                  saw_training && trained < kFewTrained && is_known, withBytes(bytes)};
    e.figures["trained"] = formatPercent(trained);
    e.figures["rank"] = "16";
    return e;
}

/// Only linear layers are kept in 4 bits (bitsandbytes' Linear4bit): no convolution and no
/// recurrence, unless they stand before the layers of a transformer.
bool isQuantisable(const Facts& facts)
{
    const auto isMade = [&](MadeBy maker) {
        return std::ranges::find(facts.made_by, maker) != facts.made_by.end();
    };
    return facts.program.find(program::DimensionName::layers) != nullptr
        || !(isMade(MadeBy::convolution) || isMade(MadeBy::recurrent));
}

FixEvidence seeQlora(const FixInput& f)
{
    const std::int64_t bytes = statesOf(f).parameters + gradientBytes(f) + optimizerBytes(f);
    FixEvidence e{f.shareOfLive(bytes) >= kLargePart && isQuantisable(f.in.facts)
                      && knowsRecipe(f.in.facts),
                  false, withBytes(bytes)};
    e.figures["rank"] = "16";
    return e;
}

constexpr std::array<FixRule, 18> kGeneralRules{{
    {"evaluation-accumulation", seeEvaluationAccumulation},
    {"evaluation-batch", seeEvaluationBatch},
    {"micro-batch", seeMicroBatch, smallerMicroBatches},
    {"bf16", seeBf16},
    {"checkpointing-selective", seeSelective},
    {"checkpointing-full", seeCheckpointing},
    {"attention-flash", seeFlash},
    {"fused-loss", seeFusedLoss},
    {"longest-batch", seeLongestBatch},
    {"sequence", seeSequence},
    {"bf16-pure", seePureBf16},
    {"zero-1", seeZero1},
    {"zero-2", seeZero2},
    {"zero-3", seeZero3},
    {"offload-activations", seeOffloadActivations},
    {"offload-parameters", seeOffloadParameters},
    {"lora", seeLora},
    {"qlora", seeQlora},
}};

} // namespace

const FixRule* fixRule(std::string_view id)
{
    const auto found = std::ranges::find(kGeneralRules, id, &FixRule::id);
    const FixRule* other = directFixRule(id);
    other = other == nullptr ? programFixRule(id) : other;
    other = other == nullptr ? inferenceFixRule(id) : other;
    other = other == nullptr ? optimizerFixRule(id) : other;
    return found == kGeneralRules.end() ? other : &*found;
}

bool FixInput::hasCause(Cause cause) const
{
    return std::ranges::find(causes, cause, &CauseFinding::cause) != causes.end();
}

CaseAtMoment FixInput::caseAtMoment() const
{
    return {in.run, in.facts.phaseAtMoment(),
            causes.empty() ? std::nullopt : std::optional(causes.front().cause)};
}

bool FixInput::hasTrait(label::Trait trait) const
{
    const std::size_t count = in.facts.snapshot.stacks.stackCount();
    for (std::size_t s = 0; s < count; ++s) {
        if (in.facts.stacks.traits(StackId(s)).has(trait)) {
            return true;
        }
    }
    return false;
}

bool FixInput::inTraining() const
{
    const Phase phase = in.facts.phaseAtMoment();
    return phase == Phase::forward || phase == Phase::backward;
}

bool FixInput::hasOneSample() const
{
    if (config != nullptr && config->micro_batch) {
        return *config->micro_batch == 1;
    }
    static constexpr double kSureOfBatch = 0.9;
    const auto* const batch = in.facts.program.find(program::DimensionName::batch);
    return batch != nullptr && batch->value == 1 && batch->confidence >= kSureOfBatch;
}

double FixInput::shareOfLive(std::int64_t bytes) const
{
    const auto total = static_cast<double>(std::max<std::int64_t>(1, in.total()));
    return static_cast<double>(bytes) / total;
}

} // namespace tidemark::diagnose
