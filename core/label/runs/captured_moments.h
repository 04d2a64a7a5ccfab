// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace tidemark::label {

/// Where a moment of the capture lies in a device's trace.
struct CapturedPlace {
    StateId state;
    bool is_earlier = false; ///< Before the first event that the trace still has.
};
/// By moment of a capture.
using CapturedPlaces = std::vector<std::optional<CapturedPlace>>;

/// Places of all moments of a capture in one device's trace, by moment; nothing where it is not
/// known: the counters were set back since, or were not read. The allocator's counters are compared
/// with those at the dump, so a place is counted from the trace's end, whatever its beginning lost.
/// A moment lies behind everything the call before it did. O(events + moments log moments).
CapturedPlaces placeMoments(const trace::Capture& capture, const trace::Device& device);

} // namespace tidemark::label
