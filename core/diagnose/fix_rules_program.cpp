// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/diagnose/fix_effects.h"
#include "core/diagnose/fix_helpers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

// --- passes -------------------------------------------------------------------------------------

/// What a pass without backward keeps of many blocks at once: a graph that nobody needs.
std::int64_t graphInEvaluation(const FixInput& f)
{
    const Facts& facts = f.in.facts;
    const Phase phase = facts.phaseAtMoment();
    if ((phase != Phase::evaluation && phase != Phase::inference) || facts.layers.count < 3) {
        return 0;
    }
    std::set<std::int32_t> blocks;
    const std::int64_t bytes = liveBytes(f, [&](AllocationId a) {
        const std::int32_t block = facts.layers.of[a.index()];
        const bool counts = block >= 0
            && (facts.bucket(a) == Bucket::activation || facts.bucket(a) == Bucket::temporary);
        if (counts) {
            blocks.insert(block);
        }
        return counts;
    });
    return blocks.size() >= 3 ? bytes : 0;
}
FixEvidence seeGraphInEvaluation(const FixInput& f)
{
    return evidenceOf(f, graphInEvaluation(f), kWorthIt);
}
std::optional<DirectEffect> effectOfInferenceMode(const FixInput& f)
{
    // One block's work stays.
    const auto bytes = static_cast<double>(graphInEvaluation(f));
    const double stays = bytes / std::max(1, static_cast<int>(f.in.facts.layers.count));
    return freed(f, std::max(0.0, bytes - 2 * stays), bytes - stays, bytes);
}

FixEvidence seeLogitsToKeep(const FixInput& f)
{
    const Phase phase = f.in.facts.phaseAtMoment();
    const bool generates = phase == Phase::evaluation || phase == Phase::inference;
    return evidenceOf(f, generates ? f.in.measures.logits.bytes : 0, kWorthIt);
}
std::optional<DirectEffect> effectOfLogitsToKeep(const FixInput& f)
{
    const auto bytes = static_cast<double>(f.in.measures.logits.bytes);
    return freed(f, 0.9 * bytes, 0.99 * bytes, bytes);
}

/// Live in forward and backward of a program of convolutions.
std::int64_t imageBytes(const FixInput& f)
{
    if (!f.inTraining()) {
        return 0;
    }
    NameFinder isConvolution(f.in.facts, {"conv2d"});
    const std::int64_t convolved = liveBytes(f, [&](AllocationId a) {
        return f.in.facts.bucket(a) == Bucket::activation && isConvolution(a);
    });
    return f.shareOfLive(convolved) >= kWorthIt ? f.in.measures.pass.bytes : 0;
}
FixEvidence seeImages(const FixInput& f)
{
    return evidenceOf(f, imageBytes(f), kLargePart);
}
std::optional<DirectEffect> effectOfSmallerImages(const FixInput& f)
{
    const auto bytes = static_cast<double>(imageBytes(f));
    return freed(f, 0.5 * bytes, 0.75 * bytes, 0.75 * bytes); // half the side, a quarter of it
}

// --- optimizer state of low rank ----------------------------------------------------------------

/// State of rank r of a square matrix as large as the largest, as a part of Adam's: `per_side` · r
/// of its side.
double lowRankPart(const FixInput& f, double per_side, double rank)
{
    std::int64_t largest = 1;
    (void)liveBytes(f, [&](AllocationId a) {
        if (f.in.facts.bucket(a) == Bucket::parameter) {
            largest = std::max(largest, f.in.facts.bytes(a));
        }
        return false;
    });
    const double width = f.in.facts.sixteen_bit_states ? 2 : 4;
    return std::min(1.0, per_side * rank / std::sqrt(static_cast<double>(largest) / width));
}
FixEvidence seeLowRank(const FixInput& f)
{
    FixEvidence e = evidenceOf(f, optimizerBytes(f), kWorthIt);
    e.applies = e.applies && f.in.facts.states.copies >= 1.5;
    return e;
}
std::optional<DirectEffect> effectOfLowRank(const FixInput& f, double part)
{
    // Embeddings and vectors keep Adam's state: how much that is depends on the vocabulary.
    const double goes = (1 - part) * static_cast<double>(optimizerBytes(f));
    return freed(f, 0.4 * goes, 0.7 * goes, goes);
}
/// GaLore, rank 128: 4 (m r + 2 n r) B for 8 m n B.
std::optional<DirectEffect> effectOfGalore(const FixInput& f)
{
    return effectOfLowRank(f, lowRankPart(f, 1.5, 128));
}
/// APOLLO, rank 256: 8 n r B for 8 m n B; the projection is made from a seed.
std::optional<DirectEffect> effectOfApollo(const FixInput& f)
{
    return effectOfLowRank(f, lowRankPart(f, 1, 256));
}

// --- the model over several GPUs ----------------------------------------------------------------

double shareLeft(const FixInput& f, int most)
{
    return 1.0 / std::clamp(f.gpus, 1, most);
}
double modelStates(const FixInput& f)
{
    const StateBytes& states = f.in.facts.states;
    return static_cast<double>(states.parameters + states.gradients + optimizerBytes(f));
}
FixEvidence seeModelParallel(const FixInput& f, double bytes)
{
    FixEvidence e = evidenceOf(f, static_cast<std::int64_t>(bytes), kLargePart);
    e.applies = e.applies && f.gpus >= 2;
    e.figures["gpus"] = f.gpus < 2 ? "several" : fmt::format("{}", std::min(f.gpus, 8));
    e.figures["all_gpus"] = f.gpus < 2 ? "several" : fmt::format("{}", f.gpus);
    e.figures["missing"] = f.gpus < 2
        ? "One GPU has nobody to share with; say how many there are."
        : fmt::format("What it would divide holds only {} at the moment that counts.",
                      sizeText({static_cast<std::int64_t>(bytes)}));
    return e;
}
FixEvidence seeTensorParallel(const FixInput& f)
{
    return seeModelParallel(f, modelStates(f) + static_cast<double>(f.in.measures.saved.bytes));
}
/// Weights, gradients and state are divided; of the activations 10 parts of 34 only with sequence
/// parallelism (Korthikanti et al. 2022).
std::optional<DirectEffect> effectOfTensorParallel(const FixInput& f)
{
    const double left = shareLeft(f, 8);
    const auto saved = static_cast<double>(f.in.measures.saved.bytes);
    const double states = (1 - left) * modelStates(f);
    return freed(f, 0.9 * states + 0.5 * (1 - (10 + 24 * left) / 34) * saved,
                 states + (1 - (10 + 24 * left) / 34) * saved, states + (1 - left) * saved);
}
FixEvidence seePipeline(const FixInput& f)
{
    return seeModelParallel(f, modelStates(f));
}
/// States are divided; the first stage keeps the activations of as many micro-batches as there are
/// stages.
std::optional<DirectEffect> effectOfPipeline(const FixInput& f)
{
    const double states = (1 - shareLeft(f, 1 << 20)) * modelStates(f);
    return freed(f, 0.6 * states, 0.9 * states, states);
}
FixEvidence seeContextParallel(const FixInput& f)
{
    return seeModelParallel(f, f.inTraining() ? static_cast<double>(f.in.measures.pass.bytes) : 0);
}
/// Activations and logits are divided along the sequence.
std::optional<DirectEffect> effectOfContextParallel(const FixInput& f)
{
    const double goes = (1 - shareLeft(f, 8)) * static_cast<double>(f.in.measures.pass.bytes);
    return freed(f, 0.8 * goes, 0.95 * goes, goes);
}

constexpr std::array kRules{
    aloneRule("inference-mode", seeGraphInEvaluation, effectOfInferenceMode),
    aloneRule("logits-to-keep", seeLogitsToKeep, effectOfLogitsToKeep),
    aloneRule("resolution", seeImages, effectOfSmallerImages),
    aloneRule("optimizer-galore", seeLowRank, effectOfGalore),
    aloneRule("optimizer-apollo", seeLowRank, effectOfApollo),
    aloneRule("tensor-parallel", seeTensorParallel, effectOfTensorParallel),
    aloneRule("pipeline-parallel", seePipeline, effectOfPipeline),
    aloneRule("context-parallel", seeContextParallel, effectOfContextParallel),
};

} // namespace

const FixRule* programFixRule(std::string_view id)
{
    const auto found = std::ranges::find(kRules, id, &FixRule::id);
    return found == kRules.end() ? nullptr : &*found;
}

} // namespace tidemark::diagnose
