// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/modules/details.h"

#include "core/label/captured/captured_tensors.h"

namespace tidemark::label {

Details findDetails(const trace::Snapshot& snapshot, const replay::Replay& replay,
                    const Labels& labels, const std::vector<program::Program>* programs,
                    const std::stop_token& stop)
{
    Details details{ModulePaths(snapshot), {}};
    for (std::size_t d = 0; d < snapshot.devices.size() && !stop.stop_requested(); ++d) {
        const trace::Device& device = snapshot.devices[d];
        const replay::DeviceReplay& run = replay.devices[d];
        const DeviceLabels& names = labels.devices[d];
        const bool has_program = programs != nullptr && d < programs->size();
        const program::Program* const program = has_program ? &(*programs)[d] : nullptr;
        const std::vector<std::uint32_t> things = capturedThings(snapshot, device, run, names);
        details.devices.push_back(
            {placeModules(snapshot, device, run, names, details.paths, things),
             guessTensors(snapshot, device, run, program, things),
             AttachedTexts(snapshot, device, run)});
    }
    return details;
}

} // namespace tidemark::label
