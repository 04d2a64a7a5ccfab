// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/memory_state.h"

#include <string>
#include <utility>

namespace tidemark::test {

/// A snapshot of one device (the first counts) with what follows from it.
struct Replayed {
    trace::Snapshot snapshot;
    replay::Replay replay;
    std::vector<replay::BlockSizes> sizes;

    explicit Replayed(trace::Snapshot s)
        : snapshot(std::move(s))
    {
        NoProgress progress;
        replay = replay::run(snapshot, progress, {}).value();
        sizes = replay::blockSizeBounds(snapshot, replay);
    }
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
