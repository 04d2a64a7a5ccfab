// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assign/gradient_sizes.h"

#include <algorithm>
#include <utility>

namespace tidemark::label {
namespace {

void takeMost(SizeCounts& counts, const SizeCounts& other)
{
    for (const auto& [size, count] : other) {
        counts[size] = std::max(counts[size], count);
    }
}

void keepCommon(SizeCounts& counts, const SizeCounts& other)
{
    std::erase_if(counts, [&](const auto& entry) { return !other.contains(entry.first); });
    for (auto& [size, count] : counts) {
        count = std::min(count, other.at(size));
    }
}

} // namespace

GradientSizes::GradientSizes(const RuleInputs& evidence)
    : m_e(evidence)
    , m_a(evidence.replay.allocations)
{
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        if (m_e.kinds.lineTraits(m_a.stack[i]).has(Trait::reducer)) {
            m_buckets.emplace_back(i);
        }
    }
    findReductions();
    findCounts();
    findEarlierWeights();
}

bool GradientSizes::isLeftBy(const Run& run, AllocationId a) const
{
    // Alive after backward is over, or freed in the burst that follows its last allocation while
    // matching a gradient of another step (plain SGD allocates nothing in its step, so nothing
    // marks its start).
    const bool is_left = m_e.livesOn(a, run.over);
    if (is_left && m_is_sharded && !isOfReduction(a)) {
        return m_counts.contains(m_a.requested[a.index()].value);
    }
    if (is_left) {
        return true;
    }
    if (isOfReduction(a)) {
        return m_e.livesOn(a, StateId::after(run.last_alloc))
            && !m_passing.contains(m_e.kinds.path(m_a.stack[a.index()]));
    }
    return m_e.livesOn(a, StateId::after(run.last_alloc))
        && m_a.alloc_event[a.index()].index() + 2 < run.last_alloc.index()
        && m_counts.contains(m_a.requested[a.index()].value);
}

bool GradientSizes::isOfReduction(AllocationId a) const
{
    return m_e.kinds.traits(m_a.stack[a.index()]).has(Trait::reduce_gradients);
}

bool GradientSizes::isLeftByReduction(AllocationId a) const
{
    return m_e.livesOn(a, m_e.last_moment)
        && !m_passing.contains(m_e.kinds.path(m_a.stack[a.index()]));
}

void GradientSizes::findReductions()
{
    for (const Run& run : m_e.runs.runs) {
        if (run.phase != Phase::backward) {
            continue;
        }
        for (std::size_t i = run.first_alloc.index(); i <= run.last_alloc.index(); ++i) {
            const AllocationId a = m_e.replay.event_allocation[i];
            if (m_e.device.events.action[i] == trace::Action::alloc && !a.isNone()
                && isOfReduction(a) && !m_e.livesOn(a, StateId::after(run.last_alloc))) {
                m_passing.insert(m_e.kinds.path(m_a.stack[a.index()]));
            }
        }
    }
}

/// Where gradients are views of the buckets that a reducer made, backward leaves nothing, and what
/// is still there after its last allocation is much less than the buckets.
bool GradientSizes::areViews(const SizeCounts& left, StateId when) const
{
    std::int64_t bytes = 0;
    for (const auto& [size, count] : left) {
        bytes += size * count;
    }
    std::int64_t buckets = 0;
    for (const AllocationId a : m_buckets) {
        buckets += m_e.livesOn(a, when) ? m_a.requested[a.index()].value : 0;
    }
    return bytes * 2 < buckets;
}

/// The sizes of gradients: of the completed backward run that leaves most of them. Where every
/// backward is followed by its frees at once, those alive after the run's last allocation. Of a
/// sharded model what every backward leaves: a collective may let go of what it sends a little
/// late.
void GradientSizes::findCounts()
{
    SizeCounts in_all_sharded;
    for (const Run& run : m_e.runs.runs) {
        if (run.phase != Phase::backward || run.is_last) {
            continue;
        }
        SizeCounts alive;
        SizeCounts alive_at_last_alloc;
        bool is_sharded = false;
        for (std::size_t i = run.first_alloc.index(); i <= run.last_alloc.index(); ++i) {
            const AllocationId a = m_e.replay.event_allocation[i];
            if (m_e.device.events.action[i] != trace::Action::alloc || a.isNone()
                || m_e.workspaces.contains(a)
                || m_e.kinds.traits(m_a.stack[a.index()]).has(Trait::recompute)) {
                continue;
            }
            if (isOfReduction(a)) {
                is_sharded = true;
                continue;
            }
            if (m_e.livesOn(a, run.over)) {
                ++alive[m_a.requested[a.index()].value];
            }
            if (m_e.livesOn(a, StateId::after(run.last_alloc)) && i + 2 < run.last_alloc.index()) {
                ++alive_at_last_alloc[m_a.requested[a.index()].value];
            }
        }
        const bool in_burst = alive.empty() && !is_sharded
            && !areViews(alive_at_last_alloc, StateId::after(run.last_alloc));
        const SizeCounts& found = in_burst ? alive_at_last_alloc : alive;
        if (is_sharded && !std::exchange(m_is_sharded, true)) {
            in_all_sharded = found;
        } else if (is_sharded) {
            keepCommon(in_all_sharded, found);
        } else {
            takeMost(m_counts, found);
        }
    }
    takeMost(m_counts, in_all_sharded);
}

/// Where the trace makes no weights and has no backward but the one it ends in, what is there from
/// before tells which sizes gradients have.
void GradientSizes::findEarlierWeights()
{
    const std::vector<Run>& runs = m_e.runs.runs;
    if (!m_counts.empty() || runs.empty() || runs.back().phase != Phase::backward) {
        return;
    }
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        if (m_a.alloc_event[i].isNone() && m_e.livesToTheEnd(AllocationId(i))) {
            m_earlier.insert(replay::roundToBlock(m_a.requested[i]).value);
        }
    }
}

} // namespace tidemark::label
