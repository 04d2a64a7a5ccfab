// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/replay.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace tidemark::label {

/// Allocations reduced to what is left when no stack was recorded: size, birth and death, as event
/// indices. Sorted by birth. What the program's teardown frees counts as never freed.
struct FramelessTrace {
    static constexpr std::int64_t kEarlier = -1; ///< Birth of what was there before the trace.
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    /// The size class of scalars and counters: one block of the allocator.
    static constexpr std::int64_t kTinyBytes = 512;

    std::vector<std::int64_t> birth;
    std::vector<std::int64_t> death; ///< Event that frees it, or `kNever`.
    std::vector<std::int64_t> size; ///< Requested bytes.
    std::vector<bool> is_model_sized; ///< As large as something that stays for good.
    std::size_t first_made = 0; ///< The first one that the trace makes.
    std::int64_t last_event = 0; ///< The last event that allocates or fails to.

    [[nodiscard]] std::size_t count() const
    {
        return birth.size();
    }
    [[nodiscard]] bool isTiny(std::size_t i) const
    {
        return size[i] <= kTinyBytes;
    }
    [[nodiscard]] bool stays(std::size_t i) const
    {
        return death[i] == kNever;
    }
    /// Comes and goes, and is no parameter, gradient or state by its size: a pass's memory mostly.
    [[nodiscard]] bool isPassing(std::size_t i) const
    {
        return !stays(i) && !is_model_sized[i];
    }
    /// Index of the first allocation born at or after an event; O(log allocations).
    [[nodiscard]] std::size_t firstFrom(std::int64_t event) const;
    /// Lets only sizes be the model's that were there before the trace or were made at its very
    /// beginning: where nothing is trained, later ones are results that are kept. Returns the end
    /// of that beginning.
    std::size_t dropLateModelSizes();
};

/// O(allocations log allocations).
FramelessTrace framelessTrace(const trace::Events& events, const replay::DeviceReplay& replay);

/// One backward, as events: from the birth of the gradient it starts with to that one's death.
struct BackwardSpan {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

/// Finds backward passes by the scalar they start with: the gradient of the loss is made first and
/// freed last, and nearly all that was alive at its birth is freed in its life, while nothing made
/// in it stays but what is as large as a parameter. O(events + allocations log events). In order of
/// time, disjoint; empty where nothing of that kind shows.
std::vector<BackwardSpan> findBackwardSpans(const FramelessTrace& trace);

} // namespace tidemark::label
