// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/host_memory.h"

#include <algorithm>
#include <cstdint>

namespace tidemark::ui {

HostMemory::HostMemory(const diagnose::Analysis& analysis, std::size_t device)
    : m_analysis(analysis)
    , m_device(device)
{
    const std::vector<trace::Device>& devices = analysis.snapshot->devices;
    const auto found = std::ranges::find(devices, trace::DeviceKind::host, &trace::Device::kind);
    if (found == devices.end() || found->isEmpty()) {
        return;
    }
    const auto host = static_cast<std::size_t>(found - devices.begin());
    // Without a clock nobody knows which event of the one came before which of the other.
    const bool is_ordered = found->events.count() == 0
        || (found->events.hasTimes() && devices[device].events.hasTimes());
    m_host = host != device && is_ordered ? std::optional(host) : std::nullopt;
}

Bytes HostMemory::at(StateId state) const
{
    const trace::Events& there = m_analysis.snapshot->devices[*m_host].events;
    const trace::Events& here = m_analysis.snapshot->devices[m_device].events;
    StateId host = StateId::start();
    if (there.count() > 0 && here.count() > 0) {
        const TimePoint now = here.time[state.value == 0 ? 0 : state.value - 1];
        const auto past = std::ranges::upper_bound(there.time, now);
        host = StateId(static_cast<std::uint32_t>(past - there.time.begin()));
    }
    const replay::DeviceReplay& replay = m_analysis.replay->devices[*m_host];
    return std::max(replay.activeAt(host), replay.reservedAt(host));
}

} // namespace tidemark::ui
