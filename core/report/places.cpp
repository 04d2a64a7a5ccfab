// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/places.h"

#include "core/label/stacks/forward_lines.h"

namespace tidemark::report {

Places::Places(const diagnose::Analysis& analysis)
    : m_analysis(analysis)
    , m_finder(*analysis.snapshot)
{
}

const Place& Places::of(std::size_t device, AllocationId allocation)
{
    const trace::Snapshot& snapshot = *m_analysis.snapshot;
    const replay::Allocations& all = m_analysis.replay->devices[device].allocations;
    const StackId stack = all.stack[allocation.index()];
    const auto [known, is_new] = m_of_stack.try_emplace(stack);
    Place& place = known->second;
    if (is_new) {
        place.lines = m_finder.of(snapshot, stack);
        place.text = label::frameText(snapshot, place.lines.shown);
        place.user = label::frameText(snapshot, place.lines.user);
        place.caller = label::frameText(snapshot, place.lines.caller());
    }
    const StringId forward = place.text.empty()
        ? label::forwardFramesOf(snapshot.devices[device], all, allocation)
        : StringId::none();
    if (forward.isNone()) {
        return place;
    }
    const auto [said, is_first] = m_of_forward.try_emplace(forward);
    if (is_first) {
        said->second.text = label::forwardLineText(snapshot.text(forward));
    }
    return said->second;
}

} // namespace tidemark::report
