// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/detailed_devices.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tidemark::diagnose {

bool DetailedDevices::has(std::size_t device) const
{
    return std::ranges::binary_search(shown, device);
}

DetailedDevices detailedDevices(const Analysis& analysis)
{
    DetailedDevices devices;
    for (std::size_t d = 0; d < analysis.deviceCount(); ++d) {
        if (!analysis.snapshot->devices[d].isEmpty()) {
            devices.shown.push_back(d);
        }
    }
    if (devices.shown.size() <= kMostDetailedDevices) {
        return devices;
    }
    devices.left_out = devices.shown.size() - kMostDetailedDevices;
    const std::size_t main = analysis.mainDevice();
    const auto rank = [&](std::size_t d) {
        const replay::DeviceReplay& replay = analysis.replay->devices[d];
        return std::pair(d == main, replay.activeAt(replay.peak).value);
    };
    std::ranges::stable_sort(devices.shown, std::greater<>(), rank);
    devices.shown.resize(kMostDetailedDevices);
    std::ranges::sort(devices.shown);
    return devices;
}

} // namespace tidemark::diagnose
