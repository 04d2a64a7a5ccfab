// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <QtCore/QString>

#include <span>
#include <stop_token>
#include <vector>

namespace tidemark::ui {

/// A line of code or several that a text names, and that stacks of the snapshot lead through.
struct CodePlace {
    QString words; ///< "scenes.py:30", "scenes.py:30–32"
    QString file; ///< As it was recorded, with its folders.
    int line = 0;
    int last_line = 0; ///< Of several, else the same.
    std::vector<FrameId> frames; ///< Of those lines; at least one.
};

/// The lines that a text names, each once, in its order. O(frames + text).
[[nodiscard]] std::vector<CodePlace> placesIn(const QString& text, const trace::Snapshot& snapshot);

/// The allocations that tables name by one of these frames; where they name none so, those whose
/// stacks lead through one. O(allocations + frames of all stacks).
[[nodiscard]] std::vector<AllocationId> allocationsAt(std::span<const FrameId> frames,
                                                      const trace::Snapshot& snapshot,
                                                      const replay::Allocations& all,
                                                      const std::stop_token& stop);
/// Those whose stacks lead through one of them.
[[nodiscard]] std::vector<AllocationId> allocationsThrough(std::span<const FrameId> frames,
                                                           const trace::Snapshot& snapshot,
                                                           const replay::Allocations& all,
                                                           const std::stop_token& stop);

} // namespace tidemark::ui
