// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/growth.h"

#include "core/diagnose/facts/concatenations.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

/// Shares of the live bytes below which growth does not explain anything.
constexpr double kRelevantShare = 0.05;

struct HeldByStack {
    std::int64_t bytes = 0;
    std::int64_t last_bytes = 0; ///< Of the newest turn.
    std::uint32_t last_turn = 0;
    std::set<std::uint32_t> turns;

    void add(std::uint32_t turn, std::int64_t amount)
    {
        bytes += amount;
        last_bytes = turns.empty() || turn != last_turn ? amount : last_bytes + amount;
        last_turn = turn;
        turns.insert(turn);
    }
};

/// Sums what several stacks hold; the largest names it.
Growth summed(GrowthKind kind, const std::map<StackId, HeldByStack>& held, std::uint32_t fewest)
{
    Growth growth;
    std::int64_t largest = 0;
    for (const auto& [stack, h] : held) {
        if (h.turns.size() < fewest) {
            continue;
        }
        growth.kind = kind;
        growth.bytes += h.bytes;
        growth.per_turn += h.last_bytes;
        growth.turns = std::max(growth.turns, static_cast<std::uint32_t>(h.turns.size()));
        if (h.bytes > largest) {
            largest = h.bytes;
            growth.stack = stack;
        }
    }
    return growth;
}

/// Whether what a stack holds at the ends of steps speaks against a leak: a window of the newest
/// steps stays as large as it is, a cache stops growing, be it after the moment.
class Countercheck {
public:
    explicit Countercheck(const Facts& facts)
        : m_before(facts, facts.moment.state)
        , m_whole(facts, facts.replay.lastState())
    {
    }

    [[nodiscard]] bool speaksAgainst(StackId stack) const
    {
        return doesNotRise(stack) || m_before.hasStopped(stack) || m_whole.hasStopped(stack);
    }

    /// Before the moment; nothing for a stack that did not change, and for too few steps.
    [[nodiscard]] std::optional<curves::StackGrowth> trendOf(StackId stack) const
    {
        const curves::StackGrowth* const found = m_before.find(stack);
        return found == nullptr ? std::nullopt : std::optional(*found);
    }

private:
    /// The growth until a state, by stack.
    class Trends {
    public:
        Trends(const Facts& facts, StateId until)
            : m_growth(curves::growthPerStep(facts.replay, facts.labels, until))
        {
            for (std::size_t i = 0; i < m_growth.stacks.size(); ++i) {
                m_places.emplace(m_growth.stacks[i].stack, i);
            }
        }
        /// Null for a stack that did not change.
        [[nodiscard]] const curves::StackGrowth* find(StackId stack) const
        {
            const auto place = m_places.find(stack);
            return place == m_places.end() ? nullptr : &m_growth.stacks[place->second];
        }
        [[nodiscard]] bool hasStopped(StackId stack) const
        {
            const curves::StackGrowth* const found = find(stack);
            return found != nullptr && found->verdict == curves::GrowthVerdict::stopped;
        }
        [[nodiscard]] std::size_t ends() const
        {
            return m_growth.ends.size();
        }

    private:
        curves::StepGrowth m_growth;
        std::unordered_map<StackId, std::size_t> m_places; ///< In its stacks.
    };

    [[nodiscard]] bool doesNotRise(StackId stack) const
    {
        static constexpr std::size_t kFewestEnds = 4; // with fewer nothing is significant
        if (m_before.ends() < kFewestEnds) {
            return false;
        }
        const curves::StackGrowth* const found = m_before.find(stack);
        return found == nullptr || found->rises <= found->falls
            || found->verdict == curves::GrowthVerdict::falling;
    }

    Trends m_before; ///< Until the moment.
    Trends m_whole;
};

/// Stacks that leave something alive in most of the completed steps. What a step keeps only while
/// it runs, and what is made once (optimizer state), is no leak.
Growth findLeak(const Facts& facts)
{
    const auto& steps = facts.boundaries;
    const auto now = std::ranges::upper_bound(steps, facts.moment.state);
    const auto completed = now == steps.begin() ? 0 : now - steps.begin() - 1;
    if (completed < static_cast<std::ptrdiff_t>(kFewestTurns)) {
        return {};
    }
    const StateId step_begin = *std::prev(now);
    std::map<StackId, HeldByStack> held;
    for (const AllocationId a : facts.ids()) {
        const bool may_leak = facts.bucket(a) != Bucket::parameter;
        if (may_leak && facts.isOfTrace(a) && facts.begin(a) <= step_begin && facts.isLive(a)) {
            const auto turn = std::ranges::lower_bound(steps, facts.begin(a)) - steps.begin();
            held[facts.stack(a)].add(static_cast<std::uint32_t>(turn), facts.bytes(a));
        }
    }
    // In at least half of the steps, so that a buffer that grew a few times does not count.
    const auto fewest =
        std::max<std::uint32_t>(kFewestTurns, static_cast<std::uint32_t>(completed) / 2);
    const Countercheck check(facts);
    std::erase_if(held, [&](const auto& h) { return check.speaksAgainst(h.first); });
    Growth leak = summed(GrowthKind::leak, held, fewest);
    leak.trend = check.trendOf(leak.stack);
    return leak;
}

/// Results of evaluation that stay, batch after batch. Without frames what is kept has no label of
/// its own; there only many of one size tell, as what evaluation needs is freed soon and
/// what an optimizer keeps has the sizes of weights.
Growth findCollected(const Facts& facts)
{
    static constexpr std::uint32_t kManyOfOneSize = 8;
    static constexpr std::int64_t kSmallest = 4 << 10;
    std::map<StackId, HeldByStack> held;
    std::map<std::int64_t, HeldByStack> of_size;
    std::set<std::int64_t> weights;
    for (const AllocationId a : facts.ids()) {
        if (facts.bucket(a) == Bucket::parameter) {
            weights.insert(facts.bytes(a));
        }
    }
    for (const AllocationId a : facts.ids()) {
        if (!facts.isLive(a) || facts.bytes(a) < kSmallest) {
            continue;
        }
        const Bucket bucket = facts.bucket(a);
        const bool in_evaluation = isWithoutGradients(facts.phaseOf(a));
        // State is made in the first step; in eight bits it has other sizes than weights.
        const bool is_no_state = bucket == Bucket::optimizer_state
            && !weights.contains(facts.bytes(a)) && facts.boundaries.size() >= 2
            && facts.begin(a) > facts.boundaries[1];
        if (in_evaluation && bucket == Bucket::output) {
            HeldByStack& h = held[facts.stack(a)];
            h.add(static_cast<std::uint32_t>(h.turns.size()) + 1, facts.bytes(a));
        } else if (facts.stack(a).isNone() && facts.isOfTrace(a)
                   && (is_no_state || (in_evaluation && bucket == Bucket::temporary))) {
            HeldByStack& h = of_size[facts.bytes(a)];
            h.add(static_cast<std::uint32_t>(h.turns.size()) + 1, facts.bytes(a));
        }
    }
    Growth collected = summed(GrowthKind::evaluation, held, kFewestTurns);
    for (const auto& [bytes, h] : of_size) {
        if (h.turns.size() >= kManyOfOneSize && h.bytes > collected.bytes) {
            collected = {GrowthKind::evaluation, StackId::none(), h.bytes, bytes,
                         static_cast<std::uint32_t>(h.turns.size())};
        }
    }
    return collected;
}

/// Average of the cache over a range of states: it is made anew for every token, so single states
/// show it once or twice.
double averageCache(const Facts& facts, std::uint32_t from, std::uint32_t to)
{
    static constexpr std::uint32_t kSamples = 16;
    double sum = 0;
    for (std::uint32_t k = 0; k < kSamples; ++k) {
        const StateId state{from + (to - from) * k / kSamples};
        sum += static_cast<double>(facts.curves.at(state)[label::indexOf(Bucket::kv_cache)]);
    }
    return sum / kSamples;
}

/// A cache of keys and values that is clearly larger at the end than in the middle of the trace.
Growth findCache(const Facts& facts)
{
    static constexpr double kClearly = 1.15;
    const std::int64_t now = facts.bucketAtMoment(Bucket::kv_cache);
    const std::uint32_t end = facts.moment.state.value;
    if (now == 0
        || averageCache(facts, end - end / 4, end)
            < kClearly * averageCache(facts, end / 4, end / 2)) {
        return {};
    }
    Growth growth{GrowthKind::cache, StackId::none(), now};
    std::map<StackId, std::vector<std::int64_t>> sizes;
    std::map<StackId, std::int64_t> live;
    for (const AllocationId a : facts.ids()) {
        if (facts.bucket(a) == Bucket::kv_cache && facts.begin(a) <= facts.moment.state) {
            sizes[facts.stack(a)].push_back(facts.bytes(a));
            live[facts.stack(a)] += facts.isLive(a) ? facts.bytes(a) : 0;
        }
    }
    std::int64_t largest = 0;
    for (const auto& [stack, bytes] : live) {
        if (bytes > largest) {
            largest = bytes;
            growth.stack = stack;
        }
    }
    // Caches are made anew for every token: the smallest step between the sizes of a place is one
    // token of one of its owners.
    for (auto& [stack, values] : sizes) {
        const std::int64_t owners = live[stack] / std::max<std::int64_t>(1, values.back());
        std::ranges::sort(values);
        std::int64_t step = 0;
        for (std::size_t k = 1; k < values.size(); ++k) {
            const std::int64_t more = values[k] - values[k - 1];
            step = more > 0 && (step == 0 || more < step) ? more : step;
        }
        growth.per_turn += step * owners;
        growth.turns = std::max(growth.turns, static_cast<std::uint32_t>(values.size()));
    }
    return growth;
}

/// Results that are joined batch by batch.
Growth findJoined(const Facts& facts)
{
    Growth growth;
    std::int64_t most = 0;
    for (const Concatenation& one : findConcatenations(facts)) {
        growth.kind = GrowthKind::evaluation;
        growth.is_joined = true;
        growth.bytes += one.live;
        growth.per_turn += one.perBatch(facts);
        if (one.live > most) {
            most = one.live;
            growth.stack = one.stack;
            growth.turns = one.batches(facts);
        }
    }
    return growth;
}

/// Of the ends of all complete steps, the first one included: what is made once, as the optimizer's
/// state is, or up to a limit, as a cache is, does not rise at each of them by the same.
bool isSameInEachStep(const curves::StackGrowth& one)
{
    return one.first_bytes > 0 && one.falls == 0 && one.rises + 1 == one.steps
        && one.last_bytes == one.first_bytes * static_cast<std::int64_t>(one.steps)
        && one.bytes_per_step == static_cast<double>(one.first_bytes);
}

std::optional<Kept> keptInSteps(const Facts& facts)
{
    const curves::StepGrowth growth =
        curves::growthPerStep(facts.replay, facts.labels, facts.replay.lastState());
    Kept kept;
    std::int64_t most = 0;
    for (const curves::StackGrowth& one : growth.stacks) {
        if (!isSameInEachStep(one) || one.bucket == label::Bucket::parameter) {
            continue;
        }
        kept.per_turn += one.first_bytes;
        kept.turns = one.steps;
        if (one.first_bytes > most) {
            most = one.first_bytes;
            kept.stack = one.stack;
        }
    }
    return kept.turns >= kFewestTurns ? std::optional(kept) : std::nullopt;
}

/// What one place kept of evaluation batches and the program still holds at the end.
std::optional<Kept> keptInEvaluation(const Facts& facts, const Growth& growth)
{
    if (growth.kind != GrowthKind::evaluation || growth.stack.isNone() || growth.per_turn <= 0
        || growth.turns < kFewestTurns) {
        return std::nullopt;
    }
    bool is_held = false;
    for (const AllocationId a : facts.ids()) {
        const bool is_its = facts.stack(a) == growth.stack && facts.isLive(a);
        if (is_its && facts.end(a) <= facts.replay.lastState()) {
            return std::nullopt;
        }
        is_held = is_held || is_its;
    }
    return is_held ? std::optional(Kept{growth.stack, growth.per_turn, growth.turns, true})
                   : std::nullopt;
}

} // namespace

Growth findGrowth(const Facts& facts)
{
    Growth best;
    const auto least =
        static_cast<std::int64_t>(kRelevantShare * static_cast<double>(facts.moment.active.value));
    for (const Growth& growth : {findJoined(facts), findLeak(facts), findCollected(facts),
                                 findCache(facts), findLengthening(facts), findKeptGraph(facts)}) {
        if (growth.kind != GrowthKind::none && growth.bytes > least && growth.bytes > best.bytes) {
            best = growth;
        }
    }
    return best;
}

std::optional<Kept> findKept(const Facts& facts, const Growth& growth)
{
    const std::optional<Kept> kept = keptInSteps(facts);
    return kept ? kept : keptInEvaluation(facts, growth);
}

} // namespace tidemark::diagnose
