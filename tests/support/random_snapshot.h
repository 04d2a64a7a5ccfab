// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "tests/support/value_model.h"

#include <cstdint>

namespace tidemark::test {

/// What to make of a random snapshot.
struct SnapshotTaste {
    double odd = 0.0; ///< How many values are of a kind or range that torch does not write.
    double missing = 0.0; ///< How many entries are not there.
    double unknown = 0.0; ///< How many dictionaries have an entry under a key of no release.
    bool is_shuffled = false; ///< Keys in any order.
    bool has_repeated_keys = false;
    bool shares_frames = true; ///< One dictionary per distinct frame, as torch has it.
    bool shares_lists = true; ///< One list of frames for several events.
    bool shares_keys = true; ///< One text for each key and action.
    bool has_large_lists = false; ///< A few of about a thousand, where picklers begin a new batch.
};

/// A taste that follows from the seed: a third are as torch writes them, the others odd in one or
/// more ways.
SnapshotTaste randomTaste(std::uint64_t seed);

/// The root of a snapshot of some layout since torch 1.13: all parts or few, several devices, host
/// memory, annotations, settings. The same for the same arguments on every machine.
ValueRef randomSnapshot(std::uint64_t seed, const SnapshotTaste& taste);

} // namespace tidemark::test
