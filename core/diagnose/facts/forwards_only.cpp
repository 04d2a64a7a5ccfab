// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/forwards_only.h"

#include "core/diagnose/facts/run_case.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

/// Where passes with gradients lie, and what comes between them.
bool isOfForwards(Phase phase)
{
    return phase == Phase::forward || phase == Phase::input || phase == Phase::other;
}

/// Since the last backward or optimizer step, else the start.
StateId regionBegin(const Facts& facts)
{
    StateId begin = StateId::start();
    for (const Pass& pass : facts.passes) {
        if (!pass.backward.isEmpty() && pass.backward.end <= facts.moment.state) {
            begin = std::max(begin, pass.backward.end);
        }
    }
    return begin;
}

/// What lives at the moment of one turn.
struct Turn {
    std::int64_t live = 0;
    std::int64_t made = 0;
    std::set<StackId> stacks; ///< Of what lives, inside of modules.
};

class Counter {
public:
    Counter(const Facts& facts, Interval<StateId> region)
        : m_facts(facts)
        , m_region(region)
    {
    }

    /// 0: not told apart.
    std::uint32_t turns()
    {
        return collect() && isRepeated() ? static_cast<std::uint32_t>(m_turns.size()) : 0;
    }
    ForwardsOnly run()
    {
        return turns() > 0 ? summed() : ForwardsOnly();
    }

private:
    bool collect()
    {
        const replay::Allocations& all = m_facts.allocations();
        for (std::size_t i = 0; i < all.count() && all.begin[i] < m_region.end; ++i) {
            if (all.begin[i] < m_region.begin || all.alloc_event[i].isNone()
                || all.stack[i].isNone() || !isOfForwards(m_facts.phase[i])
                || m_facts.labels.bucket[i] == Bucket::parameter) {
                continue;
            }
            const bool inside = m_facts.isInModule(all.stack[i]);
            if (inside && m_first.isNone()) {
                m_first = all.stack[i];
            }
            if (m_first.isNone() || (!inside && m_turns.empty())) {
                continue; // before the first pass
            }
            if (all.stack[i] == m_first) {
                m_turns.emplace_back();
            }
            if (inside) {
                add(i);
            } else if (mayBeBatch(i)) {
                ++m_outside[all.stack[i]];
            }
        }
        return m_turns.size() >= 2;
    }
    /// A step of several passes has one batch and may have a loss of each, so losses do not count.
    [[nodiscard]] bool mayBeBatch(std::size_t i) const
    {
        static constexpr std::int64_t kNumbers = 64; // bytes; less is no batch
        return m_facts.bytes(AllocationId(i)) >= kNumbers
            && !m_facts.stacks.traits(m_facts.allocations().stack[i]).has(label::Trait::loss);
    }
    void add(std::size_t i)
    {
        const AllocationId a(i);
        Turn& turn = m_turns.back();
        turn.made += m_facts.bytes(a);
        if (m_facts.isLive(a)) {
            turn.live += m_facts.bytes(a);
            turn.stacks.insert(m_facts.allocations().stack[i]);
            m_held[m_facts.allocations().stack[i]] += m_facts.bytes(a);
        }
    }
    /// Something outside of modules came once per turn, be the last one cut off.
    [[nodiscard]] bool isRepeated() const
    {
        const std::size_t turns = m_turns.size();
        return std::ranges::any_of(m_outside, [&](const auto& one) {
            return one.second == turns || (turns > 2 && one.second + 1 == turns);
        });
    }
    [[nodiscard]] ForwardsOnly summed() const
    {
        // Results alone come from a line or two, a graph from many.
        static constexpr std::size_t kFewestStacks = 4;
        ForwardsOnly found;
        found.turns = static_cast<std::uint32_t>(m_turns.size());
        for (const Turn& turn : m_turns) {
            if (turn.stacks.size() >= kFewestStacks) {
                ++found.alive;
                found.bytes += turn.live;
            }
        }
        if (found.alive == 0) {
            return {};
        }
        found.stack =
            std::ranges::max_element(m_held, {}, [](const auto& h) { return h.second; })->first;
        return found;
    }

    const Facts& m_facts;
    Interval<StateId> m_region;
    StackId m_first; ///< Of the first allocation inside a module.
    std::vector<Turn> m_turns;
    std::map<StackId, std::size_t> m_outside; ///< How often, of stacks outside of modules.
    std::map<StackId, std::int64_t> m_held; ///< Live bytes by stack.
};

} // namespace

ForwardsOnly findForwardsOnly(const Facts& facts)
{
    if (!isOfForwards(facts.phaseAtMoment())) {
        return {};
    }
    const StateId end{facts.moment.state.value + 1};
    return Counter(facts, {regionBegin(facts), end}).run();
}

std::int64_t graphOfLastPass(const Facts& facts)
{
    const auto hasBackward = [](const Pass& pass) { return !pass.backward.isEmpty(); };
    if (holdsTrainingState(facts) || std::ranges::any_of(facts.passes, hasBackward)) {
        return 0;
    }
    std::int64_t bytes = 0;
    for (const AllocationId a : facts.ids()) {
        const bool counts = facts.allocations().alloc_event[a.index()].isNone()
            && facts.bucket(a) == Bucket::activation
            && facts.end(a).index() <= facts.device.events.count();
        bytes += counts && facts.isLive(a) ? facts.bytes(a) : 0;
    }
    return bytes;
}

std::uint32_t forwardsOfPass(const Facts& facts, const Pass& pass)
{
    return std::max(1U, Counter(facts, pass.forward).turns());
}

} // namespace tidemark::diagnose
