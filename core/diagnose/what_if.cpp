// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/what_if.h"

#include "core/diagnose/predict/predict.h"

#include <algorithm>
#include <utility>

namespace tidemark::diagnose {
namespace {

/// The message speaks of one device.
std::optional<OomMessage> messageOf(const Analysis& analysis, std::size_t device)
{
    return device == analysis.mainDevice() ? parseOomMessage(analysis.message()) : std::nullopt;
}

} // namespace

WhatIf::WhatIf(Analysis analysis, std::size_t device, const std::stop_token& stop, Engine engine)
    : m_analysis(std::move(analysis))
    , m_stacks(*m_analysis.snapshot, stop)
    , m_message(messageOf(m_analysis, device))
    , m_facts(gatherFacts(m_analysis, device, m_stacks, m_message, stop))
    , m_basis(stop.stop_requested() ? NeedBasis() : needBasis(m_facts))
    , m_changer(m_facts, engine, stop)
{
}

int WhatIf::gpus() const
{
    return m_analysis.input.gpusThere();
}

Prediction WhatIf::predict(std::span<const Change> changes) const
{
    const std::scoped_lock lock(m_changing);
    return predictRun(m_changer, m_basis, changes, gpus(), true).prediction;
}

bool WhatIf::hasEffect(std::span<const Change> changes) const
{
    const std::scoped_lock lock(m_changing);
    const ChangedRun run = m_changer.changed(changes, gpus());
    return run.is_changed || run.bounds_evaluation
        || predictRun(m_changer, m_basis, changes, gpus(), false).need.requested
        != m_basis.before.requested;
}

std::vector<AllocationId> WhatIf::changed(std::span<const Change> changes) const
{
    const std::scoped_lock lock(m_changing);
    const ChangedRun run = m_changer.changed(changes, gpus());
    const SizeKinds& kinds = m_changer.kinds();
    std::vector<bool> is_changed(kinds.count());
    for (std::size_t kind = 0; kind < kinds.count(); ++kind) {
        is_changed[kind] = run.sizeOf(kinds, kind) != exactly(kinds.examples[kind].bytes);
    }
    if (run.lifetimes) {
        for (const LifetimeTurn& turn : *run.lifetimes) {
            is_changed[turn.kind] = true;
        }
    }
    std::vector<AllocationId> ids;
    for (std::size_t i = 0; i < kinds.of.size(); ++i) {
        if (is_changed[kinds.of[i]]) {
            ids.emplace_back(i);
        }
    }
    return ids;
}

} // namespace tidemark::diagnose
