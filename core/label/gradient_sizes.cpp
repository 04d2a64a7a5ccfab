// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/gradient_sizes.h"

#include <algorithm>
#include <utility>

namespace tidemark::label {

GradientSizes::GradientSizes(const Evidence& evidence)
    : m_e(evidence)
    , m_a(evidence.replay.allocations)
{
    findCounts();
    findEarlierWeights();
}

bool GradientSizes::isLeftBy(const Run& run, AllocationId a) const
{
    // Alive after backward is over, or freed in the burst that follows its last allocation while
    // matching a gradient of another step (plain SGD allocates nothing in its step, so nothing
    // marks its start).
    if (m_e.livesOn(a, run.over)) {
        return true;
    }
    return m_e.livesOn(a, StateId::after(run.last_alloc))
        && m_a.alloc_event[a.index()].index() + 2 < run.last_alloc.index()
        && m_counts.contains(m_a.requested[a.index()].value);
}

/// The sizes of gradients: of the completed backward run that leaves most of them. Where every
/// backward is followed by its frees at once, those alive after the run's last allocation.
void GradientSizes::findCounts()
{
    for (const Run& run : m_e.runs.runs) {
        if (run.phase != Phase::backward || run.is_last) {
            continue;
        }
        SizeCounts alive;
        SizeCounts alive_at_last_alloc;
        for (std::size_t i = run.first_alloc.index(); i <= run.last_alloc.index(); ++i) {
            const AllocationId a = m_e.replay.event_allocation[i];
            if (m_e.device.events.action[i] != trace::Action::alloc || a.isNone()
                || m_e.kinds.traits(m_a.stack[a.index()]).has(Trait::recompute)) {
                continue;
            }
            if (m_e.livesOn(a, run.over)) {
                ++alive[m_a.requested[a.index()].value];
            }
            if (m_e.livesOn(a, StateId::after(run.last_alloc)) && i + 2 < run.last_alloc.index()) {
                ++alive_at_last_alloc[m_a.requested[a.index()].value];
            }
        }
        const SizeCounts& found = alive.empty() ? alive_at_last_alloc : alive;
        for (const auto& [size, count] : found) {
            m_counts[size] = std::max(m_counts[size], count);
        }
    }
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
