// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/block_sizes.h"
#include "core/replay/replay.h"

#include <utility>
#include <vector>

namespace tidemark::test {

/// A snapshot with what the replay makes of it.
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
};

} // namespace tidemark::test
