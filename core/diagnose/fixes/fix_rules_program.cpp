// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/fixes/fix_effects.h"
#include "core/diagnose/fixes/fix_helpers.h"
#include "core/diagnose/predict/law_helpers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

// --- passes -------------------------------------------------------------------------------------

FixEvidence seeLogitsToKeep(const FixInput& f)
{
    const bool generates = isWithoutGradients(f.in.facts.phaseAtMoment());
    const Sum logits = generates ? f.in.measures.logits : Sum{};
    FixEvidence e = evidenceOf(f, logits.bytes, kWorthIt);
    e.figures["bytes"] = Bytes{logits.taken()};
    return e;
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

/// What becomes of Adam's two moments of an m × n matrix, m ≤ n, in elements.
using LowRank = double (*)(double m, double n);

/// GaLore, rank 128: a projection m × r and two moments r × n.
double galoreElements(double m, double n)
{
    constexpr double kRank = 128;
    return std::min(2 * m * n, kRank * (m + 2 * n));
}
/// APOLLO, rank 256: two moments r × n; the projection is made from a seed.
double apolloElements(double m, double n)
{
    constexpr double kRank = 256;
    return std::min(2 * m * n, 2 * kRank * n);
}

/// Observed state of the blocks' matrices that goes; embeddings, head and vectors keep Adam's.
double lowRankSaving(const FixInput& f, const BlockWeights& weights, LowRank elements)
{
    // Two moments take `copies` times the bytes of the weights.
    const double per_element = f.in.facts.states.copies / 2 * weights.width;
    const double hidden = static_cast<double>(weights.vector) / weights.width;
    double goes = 0;
    for (const auto& [bytes, count] : weights.sizes) {
        const double other = weights.otherSide(bytes) / weights.width;
        if (other > 0) {
            const double m = std::min(hidden, other);
            const double n = std::max(hidden, other);
            goes += static_cast<double>(count) * per_element * (2 * m * n - elements(m, n));
        }
    }
    return std::min(goes, static_cast<double>(optimizerBytes(f)));
}
FixEvidence seeLowRank(const FixInput& f)
{
    FixEvidence e = evidenceOf(f, optimizerBytes(f), kWorthIt);
    e.applies = e.applies && f.in.facts.states.copies >= 1.5;
    return e;
}
std::optional<DirectEffect> effectOfLowRank(const FixInput& f, LowRank elements)
{
    const BlockWeights& weights = *f.in.facts.blocks;
    if (weights.width > 0) {
        const double goes = lowRankSaving(f, weights, elements);
        return freed(f, 0.95 * goes, goes, goes);
    }
    // A square matrix as large as the largest, and some part of the state that is in vectors.
    const auto all = static_cast<double>(optimizerBytes(f));
    const double side = std::sqrt(static_cast<double>(f.in.facts.states.largest_parameter)
                                  / f.in.facts.weightWidth());
    const double goes = side < 1 ? 0 : all * (1 - elements(side, side) / (2 * side * side));
    return perhapsFreed(f, 0.4 * goes, 0.7 * goes, goes,
                        say("A rough range: the matrices' dimensions are unknown."));
}
std::optional<DirectEffect> effectOfGalore(const FixInput& f)
{
    return effectOfLowRank(f, galoreElements);
}
std::optional<DirectEffect> effectOfApollo(const FixInput& f)
{
    return effectOfLowRank(f, apolloElements);
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
    e.figures["gpus"] =
        f.gpus < 2 ? std::string(toSay("several")) : fmt::format("{}", std::min(f.gpus, 8));
    e.figures["all_gpus"] = f.gpus < 2 ? std::string(toSay("several")) : fmt::format("{}", f.gpus);
    e.figures["missing"] = f.gpus < 2 ? say("One GPU cannot shard: give the number of GPUs.")
                                      : say("What it would shard takes only {} at the peak.",
                                            Bytes{static_cast<std::int64_t>(bytes)});
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
    const double without_sequence = 1 - (10 + 24 * left) / 34;
    const double least = 0.9 * states + 0.5 * without_sequence * saved;
    const double likely = states + without_sequence * saved;
    const double most = states + (1 - left) * saved;
    return f.in.facts.blocks->width > 0
        ? freed(f, least, likely, most)
        : perhapsFreed(f, least, likely, most,
                       say("Unknown hidden size, so matrices and heads may not be divisible."));
}
FixEvidence seePipeline(const FixInput& f)
{
    return seeModelParallel(f, modelStates(f));
}
/// The states of whole blocks are divided, rounded up; embedding and head lie on the first and the
/// last stage. The first stage keeps the activations of as many micro-batches as there are stages.
std::optional<DirectEffect> effectOfPipeline(const FixInput& f)
{
    const BlockWeights& weights = *f.in.facts.blocks;
    const double states = modelStates(f);
    if (weights.blocks < 2) {
        const double divided = (1 - shareLeft(f, 1 << 20)) * states;
        return perhapsFreed(
            f, 0.6 * divided, 0.9 * divided, divided,
            say("No repeated blocks found in the weights, so stages may be uneven."));
    }
    double in_blocks = 0;
    double all = 0;
    for (const auto& [bytes, count] : weights.sizes) {
        const auto sum = static_cast<double>(bytes * count);
        all += sum;
        in_blocks += weights.isOfBlocks(bytes) ? sum : 0;
    }
    const double share = in_blocks / std::max(1.0, all);
    const std::int64_t stages = std::clamp<std::int64_t>(f.gpus, 1, weights.blocks);
    const std::int64_t most_blocks = (weights.blocks + stages - 1) / stages;
    const double of_blocks =
        share * static_cast<double>(most_blocks) / static_cast<double>(weights.blocks);
    // The whole rest, half of it, or none on the stage that counts.
    const double rest = 1 - share;
    return freed(f, states * (1 - of_blocks - rest), states * (1 - of_blocks - rest / 2),
                 states * (1 - of_blocks));
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

constexpr std::array kProgramRules{
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
    const auto found = std::ranges::find(kProgramRules, id, &FixRule::id);
    return found == kProgramRules.end() ? nullptr : &*found;
}

} // namespace tidemark::diagnose
