// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace tidemark::bench {

/// What a synthetic training run looks like.
struct SyntheticRun {
    std::uint64_t events = 100'000; ///< At least; the last step is finished.
    unsigned layers = 32;
    unsigned depth = 36; ///< Frames of each stack.
};

/// Writes the snapshot of such a run opcode by opcode as CPython's pickler of protocol 4 does: a
/// list of frames for each event, the frames in it shared, batches of 1000, frames of 64 KiB.
/// Pieces go to `write` in order. Returns the number of events.
///
/// The same run in the same place of memory each step: weights stay, each layer's forward leaves an
/// activation until its backward and makes temporaries, gradients go at the end of the step.
std::uint64_t writeSyntheticPickle(const SyntheticRun& run,
                                   const std::function<void(std::string_view)>& write);

} // namespace tidemark::bench
