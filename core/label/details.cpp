// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/details.h"

namespace tidemark::label {

Details findDetails(const trace::Snapshot& snapshot, const replay::Replay& replay,
                    const Labels& labels, const std::stop_token& stop)
{
    Details details{ModulePaths(snapshot), {}};
    for (std::size_t d = 0; d < snapshot.devices.size() && !stop.stop_requested(); ++d) {
        const trace::Device& device = snapshot.devices[d];
        details.devices.push_back(
            {placeModules(device, replay.devices[d], labels.devices[d], details.paths),
             guessTensors(snapshot, device, replay.devices[d], labels.devices[d])});
    }
    return details;
}

} // namespace tidemark::label
