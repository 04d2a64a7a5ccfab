// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/fixes/fix_effects.h"
#include "core/diagnose/fixes/fix_helpers.h"
#include "core/diagnose/fixes/fix_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Role;

std::int64_t liveInRole(const FixInput& f, Role role)
{
    return liveBytes(f, [&](AllocationId a) { return f.in.facts.role(a) == role; });
}

std::optional<DirectEffect> allFreed(const FixInput& f, std::int64_t bytes)
{
    const auto all = static_cast<double>(bytes);
    return freed(f, all, all, all);
}

// --- copies that need not be there --------------------------------------------------------------

std::int64_t bucketCopies(const FixInput& f)
{
    const std::int64_t bytes = liveInRole(f, Role::reduction_bucket);
    return bytes > 0 && f.in.facts.haveBucketsAllGradients() ? 0 : bytes;
}
FixEvidence seeBucketView(const FixInput& f)
{
    return evidenceOf(f, bucketCopies(f), kWorthIt / 3);
}
std::optional<DirectEffect> effectOfBucketView(const FixInput& f)
{
    return allFreed(f, bucketCopies(f));
}

std::int64_t secondModel(const FixInput& f)
{
    return liveInRole(f, Role::second_model);
}
FixEvidence seeSecondModel(const FixInput& f)
{
    FixEvidence e = evidenceOf(f, secondModel(f), kWorthIt);
    e.host = Bytes{secondModel(f)};
    return e;
}
std::optional<DirectEffect> effectOfSecondModel(const FixInput& f)
{
    return allFreed(f, secondModel(f));
}

std::int64_t averagedWeights(const FixInput& f)
{
    return liveInRole(f, Role::ema);
}
FixEvidence seeEma(const FixInput& f)
{
    FixEvidence e = evidenceOf(f, averagedWeights(f), kWorthIt);
    e.host = Bytes{averagedWeights(f)};
    return e;
}
std::optional<DirectEffect> effectOfEma(const FixInput& f)
{
    return allFreed(f, averagedWeights(f));
}

/// What torch.load put on the card and something of the same size stands beside.
std::int64_t checkpointCopy(const FixInput& f)
{
    const Facts& facts = f.in.facts;
    if (facts.passes.empty()) {
        return 0; // still loading: which of the two will be kept is not seen yet
    }
    NameFinder isLoaded(facts, {"torch/serialization.py"});
    std::multiset<std::int64_t> others;
    (void)liveBytes(f, [&](AllocationId a) {
        if (facts.bucket(a) == Bucket::parameter && !isLoaded(a)) {
            others.insert(facts.bytes(a));
        }
        return false;
    });
    return liveBytes(f, [&](AllocationId a) {
        const auto twin = isLoaded(a) ? others.find(facts.bytes(a)) : others.end();
        if (twin == others.end()) {
            return false;
        }
        others.erase(twin);
        return true;
    });
}
FixEvidence seeCheckpointCopy(const FixInput& f)
{
    FixEvidence e = evidenceOf(f, checkpointCopy(f), kWorthIt);
    e.host = Bytes{checkpointCopy(f)};
    return e;
}
std::optional<DirectEffect> effectOfCheckpointCopy(const FixInput& f)
{
    return allFreed(f, checkpointCopy(f));
}

/// Processes of the message that hold about as much as this one: its siblings. None counts where
/// the driver had room for the request beside them.
int siblings(const FixInput& f)
{
    const auto& message = f.in.facts.message;
    const Moment& moment = f.in.facts.moment;
    if (!message || (moment.device_free && *moment.device_free >= moment.tried)) {
        return 0;
    }
    const std::int64_t own = f.in.facts.moment.reserved.value;
    const auto alike = std::ranges::count_if(message->processes, [&](const MessageProcess& p) {
        const std::int64_t used = p.in_use.value_or(Bytes{}).value;
        return used > own / 2 && used < 2 * own + (2LL << 30);
    });
    return static_cast<int>(alike);
}
FixEvidence seeDuplicates(const FixInput& f)
{
    FixEvidence e{f.hasCause(Cause::duplicate_ranks) || siblings(f) >= 2, false, {}};
    e.figures["count"] = fmt::format("{}", siblings(f));
    return e;
}
std::optional<DirectEffect> effectOfDuplicates(const FixInput& f)
{
    DirectEffect effect = unchangedEffect(f);
    effect.capacity = {std::nullopt, say("Unknown: how much the other ranks free.")};
    effect.gives_room = true;
    return effect;
}

/// Gradients but the largest: with the step taken in backward one at a time is alive.
double gradientsButOne(const FixInput& f)
{
    std::int64_t largest = 0;
    const std::int64_t all = liveBytes(f, [&](AllocationId a) {
        const bool counts = f.in.facts.bucket(a) == Bucket::gradient
            && f.in.facts.role(a) != Role::reduction_bucket;
        largest = counts ? std::max(largest, f.in.facts.bytes(a)) : largest;
        return counts;
    });
    return static_cast<double>(all - largest);
}
FixEvidence seeStepInBackward(const FixInput& f)
{
    const auto bytes = static_cast<std::int64_t>(gradientsButOne(f));
    const bool accumulates = f.config != nullptr && f.config->accumulation.value_or(1) > 1;
    FixEvidence e = evidenceOf(f, accumulates ? 0 : bytes, kWorthIt);
    return e;
}
std::optional<DirectEffect> effectOfStepInBackward(const FixInput& f)
{
    const double bytes = gradientsButOne(f);
    return freed(f, 0.9 * bytes, bytes, bytes);
}

// --- caches, pools, workspaces ------------------------------------------------------------------

FixEvidence seeCache(const FixInput& f)
{
    return evidenceOf(f, cacheAtMoment(f.in.facts), kLargePart);
}
std::optional<DirectEffect> effectOfHalfCache(const FixInput& f)
{
    const auto bytes = static_cast<double>(cacheAtMoment(f.in.facts));
    return freed(f, 0.45 * bytes, 0.5 * bytes, 0.5 * bytes);
}

std::int64_t poolBytes(const FixInput& f)
{
    return f.in.facts.replay.privateCachedAt(f.in.facts.moment.state).value;
}
FixEvidence seePools(const FixInput& f)
{
    return evidenceOf(f, poolBytes(f), kWorthIt / 3);
}
/// What lies idle in private pools is reserved, not asked for.
std::optional<DirectEffect> effectOfPools(const FixInput& f)
{
    DirectEffect effect = unchangedEffect(f);
    const auto idle = static_cast<double>(poolBytes(f));
    Amount& reserved = effect.need.reserved;
    const Amount& requested = effect.need.requested;
    reserved.low = std::max(requested.low, reserved.low - idle);
    reserved.mid = std::max(requested.mid, reserved.mid - idle);
    reserved.high = std::max(requested.high, reserved.high - 0.5 * idle);
    return effect;
}

std::int64_t convolutionWorkspace(const FixInput& f)
{
    NameFinder isConvolution(f.in.facts, {"cudnn", "conv"});
    const std::int64_t live = liveBytes(f, [&](AllocationId a) {
        return f.in.facts.bucket(a) == Bucket::workspace && isConvolution(a);
    });
    const label::FailedRequest* failed = f.in.facts.failed;
    const bool one_more = live > 0 && failed != nullptr && failed->bucket == Bucket::workspace;
    return live + (one_more ? f.in.facts.moment.requested.value : 0);
}
FixEvidence seeConvolutionWorkspace(const FixInput& f)
{
    return evidenceOf(f, convolutionWorkspace(f), kWorthIt / 3);
}
std::optional<DirectEffect> effectOfConvolutionWorkspace(const FixInput& f)
{
    const auto bytes = static_cast<double>(convolutionWorkspace(f));
    return perhapsFreed(f, 0, 0.5 * bytes, 0.9 * bytes,
                        say("Unknown: how much of it only benchmarking takes."));
}

std::int64_t compiledWorkspace(const FixInput& f)
{
    return f.hasCause(Cause::compile_workspace)
        ? f.in.facts.bucketAtMoment(Bucket::workspace) + f.in.facts.moment.requested.value
        : 0;
}
FixEvidence seeCompiledWorkspace(const FixInput& f)
{
    return evidenceOf(f, compiledWorkspace(f), kWorthIt / 3);
}
std::optional<DirectEffect> effectOfCompiledWorkspace(const FixInput& f)
{
    const auto bytes = static_cast<double>(compiledWorkspace(f));
    return perhapsFreed(f, 0, 0.5 * bytes, bytes,
                        say("Unknown: how much of it other modes need too."));
}

/// What generated code keeps for backward.
std::int64_t savedByCompiled(const FixInput& f)
{
    if (!f.inTraining()) {
        return 0;
    }
    NameFinder isCompiled(f.in.facts, {"torchinductor", "_inductor", "_functorch"});
    return liveBytes(f, [&](AllocationId a) {
        return f.in.facts.bucket(a) == Bucket::activation && isCompiled(a);
    });
}
FixEvidence seeCompileBudget(const FixInput& f)
{
    return evidenceOf(f, savedByCompiled(f), kWorthIt);
}
std::optional<DirectEffect> effectOfCompileBudget(const FixInput& f)
{
    const auto bytes = static_cast<double>(savedByCompiled(f));
    return perhapsFreed(f, 0.2 * bytes, 0.4 * bytes, 0.6 * bytes,
                        say("A rough range: what the compiler recomputes depends on the model."));
}

std::int64_t communicationBytes(const FixInput& f)
{
    return f.in.facts.bucketAtMoment(Bucket::communication);
}
FixEvidence seeCommunication(const FixInput& f)
{
    return evidenceOf(f, communicationBytes(f), kWorthIt);
}
std::optional<DirectEffect> effectOfSmallerBuckets(const FixInput& f)
{
    const auto bytes = static_cast<double>(communicationBytes(f));
    return perhapsFreed(f, 0.5 * bytes, 0.9 * bytes, 0.9 * bytes,
                        say("Unknown: how much of it is resizable buckets."));
}

// --- allocator settings -------------------------------------------------------------------------

/// Much is cached, and no replay tells better what settings do.
FixEvidence seeCachedUntried(const FixInput& f)
{
    const Moment& m = f.in.facts.moment;
    const bool is_proven = m.is_oom && f.in.cached() >= m.requested.value;
    const bool expands = f.in.facts.snapshot.settings.expandable_segments.value_or(false);
    const bool is_tried = expandableReplay(f.trial) != nullptr;
    FixEvidence e{(is_proven || hasMuchCached(m)) && !expands && !is_tried, false, {}};
    e.figures["cached"] = Bytes{f.in.cached()};
    return e;
}

FixEvidence seeHoles(const FixInput& f)
{
    FixEvidence e = seeCachedUntried(f);
    e.is_on = f.in.facts.snapshot.settings.max_split_size_bytes.value_or(-1) > 0;
    return e;
}
FixEvidence seeUnevenSizes(const FixInput& f)
{
    static constexpr std::size_t kManySizes = 64;
    static constexpr std::int64_t kLarge = 1LL << 20;
    FixEvidence e = seeCachedUntried(f);
    std::set<std::int64_t> sizes;
    for (std::size_t i = 0; i < f.in.facts.allocations().count() && sizes.size() < kManySizes;
         ++i) {
        const std::int64_t bytes = f.in.facts.bytes(AllocationId(i));
        if (bytes >= kLarge && f.in.facts.bucket(AllocationId(i)) != Bucket::parameter) {
            sizes.insert(bytes);
        }
    }
    // The file lists every size with 0 divisions where nothing is rounded.
    e.is_on = std::ranges::any_of(f.in.facts.snapshot.settings.roundup_power2_divisions,
                                  [](const auto& division) { return division.second > 0; });
    e.applies = e.applies && sizes.size() >= kManySizes;
    return e;
}
/// Some of the holes, perhaps none, perhaps all.
std::optional<DirectEffect> effectOnHoles(const FixInput& f)
{
    DirectEffect effect = unchangedEffect(f);
    const Amount& requested = effect.need.requested;
    effect.need.reserved.low = requested.low;
    effect.need.reserved.mid = (requested.mid + effect.need.reserved.mid) / 2;
    return effect;
}

/// Never of use for what died: the figures say why.
FixEvidence seeMyth(const FixInput& f)
{
    FixEvidence e{};
    const Bytes cached{f.in.cached()};
    // Before an OOM whole segments may be free as well.
    const bool shares = f.in.facts.isOom() && cached > Bytes{};
    e.figures["rest"] = shares
        ? ' ' + say("The remaining {} shares segments with live blocks.", cached)
        : std::string();
    return e;
}

constexpr std::array kDirectRules{
    composingRule("leak", seeLeak, effectOfLeak),
    composingRule("memory-fraction", seeFraction, effectOfFraction),
    composingRule("other-process", seeOthers, effectOfOthers),
    composingRule("own-gpu-per-rank", seeDuplicates, effectOfDuplicates),
    composingRule("drop-max-split", seeMaxSplit, effectOfExpandable),
    composingRule("expandable-segments", seeExpandable, effectOfExpandable),
    composingRule("allocator-settings", seeOtherSettings, effectOfOtherSettings),
    composingRule("preallocate", seePreallocation, effectOfPreallocation),
    composingRule("max-split-size", seeHoles, effectOnHoles),
    composingRule("roundup-power2", seeUnevenSizes, effectOnHoles),
    composingRule("graph-eager", seePools, effectOfPools),
    aloneRule("gradient-bucket-view", seeBucketView, effectOfBucketView),
    aloneRule("second-model", seeSecondModel, effectOfSecondModel),
    aloneRule("ema-on-host", seeEma, effectOfEma),
    aloneRule("free-checkpoint", seeCheckpointCopy, effectOfCheckpointCopy),
    aloneRule("optimizer-in-backward", seeStepInBackward, effectOfStepInBackward),
    aloneRule("kv-cache-limit", seeCache, effectOfHalfCache),
    aloneRule("kv-cache-fp8", seeCache, effectOfHalfCache),
    aloneRule("cudnn-benchmark-off", seeConvolutionWorkspace, effectOfConvolutionWorkspace),
    aloneRule("compile-mode", seeCompiledWorkspace, effectOfCompiledWorkspace),
    aloneRule("compile-budget", seeCompileBudget, effectOfCompileBudget),
    aloneRule("smaller-buckets", seeCommunication, effectOfSmallerBuckets),
    aloneRule("empty-cache", seeMyth, nullptr),
    aloneRule("garbage-collection", seeMyth, nullptr),
};

} // namespace

const FixRule* directFixRule(std::string_view id)
{
    const auto found = std::ranges::find(kDirectRules, id, &FixRule::id);
    return found == kDirectRules.end() ? nullptr : &*found;
}

} // namespace tidemark::diagnose
