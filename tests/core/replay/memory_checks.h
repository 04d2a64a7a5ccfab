// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/memory_state.h"
#include "tests/support/replayed.h"

#include <string>

namespace tidemark::test {

/// Memory of the first device at every state.
struct ReplayedMemory : Replayed {
    using Replayed::Replayed;

    [[nodiscard]] const replay::DeviceReplay& device() const
    {
        return replay.devices[0];
    }
    [[nodiscard]] replay::MemoryState at(std::size_t state) const
    {
        return replay::memoryStateAt(device(), sizes[0], {static_cast<std::uint32_t>(state)});
    }
};

/// What must hold whatever the input: segments apart and in order, tiled by blocks and holes, every
/// live allocation once. Empty if it does, else what is wrong.
std::string faultIn(const replay::MemoryState& memory, const replay::DeviceReplay& device);

} // namespace tidemark::test
