// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/tree_access.h"
#include "core/reader/value_tree.h"
#include "core/trace/snapshot.h"

namespace tidemark::reader {

/// The dictionary `allocator_settings` → settings: known keys into their fields, every other one
/// (and a known one of another type) as text. Requires a dictionary.
void decodeSettings(TreeAccess& access, ValueTree::Node dict, trace::AllocatorSettings& settings);

} // namespace tidemark::reader
