// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/value_tree.h"
#include "core/trace/snapshot.h"

#include <string>

namespace tidemark::reader {

/// The dictionary `allocator_settings` → settings: known keys into their fields, every other one
/// (and a known one of another type) as text. Requires a dictionary.
void decodeSettings(ValueTree& tree, ValueTree::Node dict, trace::AllocatorSettings& settings);

/// Whether any value in it says yes: a flag, a count, or a list of them per device.
bool isAnySet(ValueTree& tree, ValueTree::Node node);

/// One line of text for a value of any kind: numbers and texts as they are, containers in brackets.
std::string valueText(ValueTree& tree, ValueTree::Node node);

} // namespace tidemark::reader
