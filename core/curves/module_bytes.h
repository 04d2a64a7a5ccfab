// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/label/modules/module_places.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <vector>

namespace tidemark::curves {

/// What one module holds of one bucket in a state.
struct ModuleBytes {
    label::Bucket bucket = label::Bucket::unknown;
    label::ModuleId module; ///< None: nothing tells where it belongs.
    std::int64_t bytes = 0; ///< Requested.
    std::uint32_t count = 0; ///< Allocations.
    std::uint32_t layers = 0; ///< In how many of the model's repeated blocks; 0 outside of them.
    AllocationId largest;
    friend bool operator==(const ModuleBytes&, const ModuleBytes&) = default;
};

/// Live bytes by bucket and module, most bytes first (ties: by bucket, then by module). They add up
/// to the replay's `active`. O(live log live + log allocations).
std::vector<ModuleBytes> moduleBytes(const replay::DeviceReplay& replay,
                                     const label::DeviceLabels& labels,
                                     const label::ModulePlaces& places, StateId state);

} // namespace tidemark::curves
