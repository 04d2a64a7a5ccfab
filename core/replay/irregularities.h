// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/replay.h"

namespace tidemark::replay {

/// The allocator's tag on the pair of events that it makes up for the bytes before an address that
/// was asked for (torch 2.14+); they are no allocation of the program.
inline constexpr std::string_view kPrefixTag = "mallocWithAddress";

/// What is unusual in a trace and how the figures stand to it, as notes: half pairs, frees that
/// waited for another stream, kinds of events that were not recorded, made-up pairs, graph pools
/// that were restored from a checkpoint, pools that are not known, segments of both kinds. And the
/// closed-form check: what lived at the start must be the end minus all that came plus all that
/// went. Requires lifetimes and totals. O(events).
void noteIrregularities(const trace::Device& device, StringId prefix_tag, DeviceReplay& replay);

/// Where the traces of several devices cover different stretches of time, into the notes of the
/// first. O(devices).
void noteCoverage(const trace::Snapshot& snapshot, Replay& replay);

} // namespace tidemark::replay
