// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/diagnose/facts/forwards_only.h"
#include "core/diagnose/fixes/fix_effects.h"
#include "core/diagnose/fixes/fix_helpers.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

// --- graphs that nobody needs -------------------------------------------------------------------

/// What a pass without backward keeps of many blocks at once.
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

/// Graphs of forward passes that no backward follows.
std::int64_t graphsOfScoring(const FixInput& f)
{
    if (f.in.run != RunCase::scoring) {
        return 0;
    }
    return f.in.basis.growth.is_graph ? f.in.basis.growth.bytes
                                      : findForwardsOnly(f.in.facts).bytes;
}
/// What the pass at the moment has saved so far.
std::int64_t graphOfThisPass(const FixInput& f)
{
    return liveBytes(f, [&](AllocationId a) {
        return f.in.facts.bucket(a) == Bucket::activation
            && !f.in.facts.allocations().alloc_event[a.index()].isNone();
    });
}

FixEvidence seeGraph(const FixInput& f)
{
    if (const std::int64_t last = graphOfLastPass(f.in.facts); last > 0) {
        FixEvidence e = evidenceOf(f, last + graphOfThisPass(f), kWorthIt);
        e.figures["passes"] = say("This forward and the previous one keep");
        return e;
    }
    if (const std::int64_t scored = graphsOfScoring(f); scored > 0) {
        FixEvidence e = evidenceOf(f, scored, kWorthIt);
        const Growth& growth = f.in.basis.growth;
        const std::uint32_t alive =
            growth.is_graph ? growth.turns : findForwardsOnly(f.in.facts).alive;
        e.figures["passes"] = sayCounted(alive, "One forward keeps", "{} forwards keep", alive);
        return e;
    }
    FixEvidence e = evidenceOf(f, graphInEvaluation(f), kWorthIt);
    e.figures["passes"] = say("A forward without backward keeps");
    return e;
}
std::optional<DirectEffect> effectOfInferenceMode(const FixInput& f)
{
    if (const auto last = static_cast<double>(graphOfLastPass(f.in.facts)); last > 0) {
        // Of the pass that runs an operation's result and its input stay.
        const auto now = static_cast<double>(graphOfThisPass(f));
        return freed(f, last, last + 0.8 * now, last + now);
    }
    const auto scored = static_cast<double>(graphsOfScoring(f));
    if (scored > 0) {
        // Of the pass that runs an operation's result and its input stay.
        const double alive = std::max(1U, f.in.basis.growth.turns);
        auto effect = freed(f, (1 - 0.5 / alive) * scored, (1 - 0.2 / alive) * scored, scored);
        effect->need.is_open = false;
        effect->need.notes.clear();
        return effect;
    }
    // One block's work stays.
    const auto bytes = static_cast<double>(graphInEvaluation(f));
    const double stays = bytes / std::max(1, static_cast<int>(f.in.facts.layers.count));
    return freed(f, std::max(0.0, bytes - 2 * stays), bytes - stays, bytes);
}

// --- what follows the number of sequences -------------------------------------------------------

FixEvidence seeSequencesAtOnce(const FixInput& f)
{
    FixEvidence e = evidenceOf(f, f.in.measures.pass.bytes + cacheAtMoment(f.in.facts), kWorthIt);
    e.applies = e.applies && f.in.run != RunCase::unknown;
    return unlessOneSample(f, std::move(e));
}
// --- the cache ----------------------------------------------------------------------------------

FixEvidence seeGrowingCache(const FixInput& f)
{
    const Growth& growth = f.in.basis.growth;
    const bool grows = growth.kind == GrowthKind::cache;
    FixEvidence e = evidenceOf(f, grows ? growth.bytes : 0, kLargePart);
    e.figures["cached"] = Bytes{f.in.cached()};
    return e;
}
/// A cache that is joined anew for every token leaves its old sizes behind as holes, and holds one
/// layer's keys or values twice while it does.
std::optional<DirectEffect> effectOfStaticCache(const FixInput& f)
{
    auto effect = perhapsFreed(f, 0, 0, static_cast<double>(f.in.facts.moment.requested.value),
                               say("Unknown: the static cache's full length."));
    Amount& reserved = effect->need.reserved;
    const Amount& requested = effect->need.requested;
    const auto holes = static_cast<double>(f.in.cached());
    reserved.mid = std::max(requested.mid, reserved.mid - 0.8 * holes);
    reserved.low = std::max(requested.low, reserved.low - holes);
    return effect;
}

// --- weights that are only read -----------------------------------------------------------------

FixEvidence seeWeights(const FixInput& f)
{
    FixEvidence e = evidenceOf(f, f.in.facts.states.parameters, kLargePart);
    e.applies = e.applies && !holdsTrainingState(f.in.facts);
    return e;
}
FixEvidence seeWideWeights(const FixInput& f)
{
    FixEvidence e = seeWeights(f);
    e.figures = withWidth(f, f.in.facts.states.parameters);
    e.is_on = f.in.facts.sixteen_bit_states; // Autocast computes in 16 bits with wider weights.
    e.applies = e.applies && !e.is_on;
    return e;
}
/// Linear layers are quantised; embedding, head and norms stay as they are: two matrices of the
/// largest size at most, none at least.
std::optional<DirectEffect> effectOfQuantising(const FixInput& f, double bytes_per_element)
{
    const StateBytes& states = f.in.facts.states;
    const auto all = static_cast<double>(states.parameters);
    const auto largest = static_cast<double>(states.largest_parameter);
    const double goes = 1 - bytes_per_element / f.in.facts.weightWidth();
    return freed(f, 0.95 * goes * std::max(0.0, all - 2 * largest),
                 goes * std::max(0.5 * all, all - 2 * largest), goes * all);
}
/// LLM.int8() keeps a byte per element and a scale per row.
std::optional<DirectEffect> effectOf8Bits(const FixInput& f)
{
    return effectOfQuantising(f, 1.01);
}
/// NF4 keeps half a byte and a scale of 32 bits per 64 elements.
std::optional<DirectEffect> effectOf4Bits(const FixInput& f)
{
    return effectOfQuantising(f, 0.5625);
}

constexpr std::array kInferenceRules{
    aloneRule("inference-mode", seeGraph, effectOfInferenceMode),
    FixRule{"inference-batch", seeSequencesAtOnce},
    aloneRule("kv-cache-static", seeGrowingCache, effectOfStaticCache),
    FixRule{"weights-16bit", seeWideWeights},
    aloneRule("weights-8bit", seeWeights, effectOf8Bits),
    aloneRule("weights-4bit", seeWeights, effectOf4Bits),
};

} // namespace

const FixRule* inferenceFixRule(std::string_view id)
{
    const auto found = std::ranges::find(kInferenceRules, id, &FixRule::id);
    return found == kInferenceRules.end() ? nullptr : &*found;
}

} // namespace tidemark::diagnose
