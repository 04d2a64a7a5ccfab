// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/forwards_only.h"
#include "core/diagnose/facts/growth.h"
#include "core/diagnose/facts/reference_pass.h"
#include "core/label/assign/size_rises.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

constexpr double kRelevantGrowth = 0.1; // of the live bytes

bool staysForGood(Bucket bucket)
{
    return bucket == Bucket::parameter || bucket == Bucket::optimizer_state
        || bucket == Bucket::gradient;
}

/// The sizes that a stack asked for, in order, and what of them is live.
struct SizeSeries {
    StackId stack;
    label::SizeRises rises;
    std::int64_t live = 0;
    std::uint32_t live_count = 0;
    bool is_cache = false; ///< As its last one is labelled.
};

std::vector<SizeSeries> seriesOfLargeStacks(const Facts& facts)
{
    std::unordered_map<std::uint32_t, std::size_t> number;
    std::vector<SizeSeries> series;
    std::vector<std::int64_t> live(facts.snapshot.stacks.stackCount(), 0);
    for (const AllocationId a : facts.ids()) {
        if (!facts.stack(a).isNone() && !staysForGood(facts.bucket(a)) && facts.isLive(a)) {
            live[facts.stack(a).index()] += facts.bytes(a);
        }
    }
    const double least = kRelevantGrowth * static_cast<double>(facts.moment.active.value);
    for (const AllocationId a : facts.ids()) {
        const StackId stack = facts.stack(a);
        if (facts.begin(a) > facts.moment.state || stack.isNone()
            || static_cast<double>(live[stack.index()]) < std::max(1.0, least)) {
            continue;
        }
        const auto [at, is_new] = number.try_emplace(stack.value, series.size());
        if (is_new) {
            series.push_back({stack, {}, live[stack.index()], 0, false});
        }
        SizeSeries& one = series[at->second];
        one.rises.add(facts.bytes(a));
        one.is_cache = facts.bucket(a) == Bucket::kv_cache;
        one.live_count += facts.isLive(a) ? 1U : 0U;
    }
    return series;
}

/// How often each line of the program, whoever called it, allocates in a pass.
std::unordered_map<std::uint32_t, std::uint32_t> turnsPerLine(const Facts& facts, std::int32_t pass,
                                                              StateId until)
{
    std::unordered_map<std::uint32_t, std::uint32_t> turns;
    for (const AllocationId a : facts.madeIn(facts.passes[static_cast<std::size_t>(pass)])) {
        if (facts.begin(a) <= until && facts.passOf(a) == pass && !facts.stack(a).isNone()
            && facts.phaseOf(a) != Phase::backward) {
            ++turns[facts.stacks.ownFrame(facts.stack(a)).value];
        }
    }
    return turns;
}

/// The latest complete training pass before, or −1.
std::int32_t completeBefore(const Facts& facts, std::int32_t now)
{
    for (std::int32_t p = now - 1; p >= 0; --p) {
        const Pass& pass = facts.passes[static_cast<std::size_t>(p)];
        if (pass.isWholeTraining()) {
            return p;
        }
    }
    return -1;
}

/// Forward passes that the cut one is made of: the fewest times that a line of the earlier one was
/// gone through, compared with then. A recurrence goes through some of them more often, not all.
std::uint32_t forwardsIn(const Facts& facts, std::int32_t now, std::int32_t earlier)
{
    const auto then =
        turnsPerLine(facts, earlier, facts.passes[static_cast<std::size_t>(earlier)].forward.end);
    const auto seen = turnsPerLine(facts, now, facts.moment.state);
    std::uint32_t fewest = 0;
    std::size_t common = 0;
    for (const auto& [line, count] : then) {
        const auto found = seen.find(line);
        if (found != seen.end()) {
            const std::uint32_t turns = found->second / count;
            fewest = common == 0 ? turns : std::min(fewest, turns);
            ++common;
        }
    }
    return common >= 2 ? fewest : 0; // one line may be a recurrence
}

/// Whether one of the pass's stacks was seen in the earlier one: then the same line called it.
bool isSameCaller(const Facts& facts, std::int32_t now, std::int32_t earlier)
{
    std::unordered_set<StackId> stacks;
    std::size_t common = 0;
    std::size_t count = 0;
    for (const AllocationId a : facts.ids()) {
        if (facts.phaseOf(a) == Phase::backward) {
            continue;
        }
        if (facts.passOf(a) == earlier) {
            stacks.insert(facts.stack(a));
        } else if (facts.passOf(a) == now) {
            ++count;
            common += stacks.contains(facts.stack(a)) ? 1U : 0U;
        }
    }
    return common * 2 > count;
}

/// Forward passes that were counted, more than the steps before are made of.
Growth graphsOfForwardsOnly(const Facts& facts)
{
    const ForwardsOnly forwards = findForwardsOnly(facts);
    const auto step = std::ranges::find_if(facts.passes, &Pass::isWholeTraining);
    const std::uint32_t usual = step == facts.passes.end() ? 1 : forwardsOfPass(facts, *step);
    if (forwards.alive < kFewestTurns || forwards.turns < kFewestTurns * usual) {
        return {};
    }
    Growth growth;
    growth.kind = GrowthKind::evaluation;
    growth.stack = forwards.stack;
    growth.bytes = forwards.bytes;
    growth.per_turn = forwards.bytes / forwards.alive;
    growth.turns = forwards.alive;
    growth.is_graph = true;
    const std::int32_t now = passAt(facts.passes, facts.moment.state);
    const std::int32_t earlier = now < 0 ? -1 : completeBefore(facts, now);
    if (earlier >= 0 && isSameCaller(facts, now, earlier)) {
        growth.kind = GrowthKind::leak;
    }
    return growth;
}

} // namespace

Growth findLengthening(const Facts& facts)
{
    Growth best;
    for (const SizeSeries& one : seriesOfLargeStacks(facts)) {
        const std::int64_t increase = one.rises.steadyIncrease();
        if (increase <= 0) {
            continue;
        }
        if (one.live > best.bytes) {
            best.stack = one.stack;
            best.turns = static_cast<std::uint32_t>(one.rises.count());
            best.kind = one.is_cache ? GrowthKind::cache : GrowthKind::evaluation;
        }
        best.bytes += one.live;
        best.per_turn += increase * (one.is_cache ? std::max<std::int64_t>(1, one.live_count) : 1);
    }
    return best;
}

Growth findKeptGraph(const Facts& facts)
{
    if (const Growth counted = graphsOfForwardsOnly(facts); counted.kind != GrowthKind::none) {
        return counted;
    }
    const std::int32_t now = passAt(facts.passes, facts.moment.state);
    const Pass* cut = cutPass(facts);
    if (now < 0 || cut == nullptr || facts.phaseAtMoment() == Phase::backward) {
        return {};
    }
    const std::int32_t earlier = completeBefore(facts, now);
    if (earlier < 0) {
        return {};
    }
    const std::uint32_t turns = forwardsIn(facts, now, earlier);
    if (turns < kFewestTurns) {
        return {};
    }
    std::map<StackId, std::int64_t> held;
    Growth growth;
    for (const AllocationId a : facts.ids()) {
        if (facts.passOf(a) == now && facts.isLive(a)) {
            growth.bytes += facts.bytes(a);
            held[facts.stack(a)] += facts.bytes(a);
        }
    }
    if (held.empty()) {
        return {};
    }
    growth.kind = isSameCaller(facts, now, earlier) ? GrowthKind::leak : GrowthKind::evaluation;
    growth.stack =
        std::ranges::max_element(held, {}, [](const auto& h) { return h.second; })->first;
    growth.per_turn = growth.bytes / turns;
    growth.turns = turns;
    growth.is_graph = true;
    return growth;
}

} // namespace tidemark::diagnose
