// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/value_tree.h"

#include <cstddef>
#include <string>

namespace tidemark::reader {

/// One line of text for a value of any kind: numbers and texts as they are, containers in brackets.
/// Cut off behind about `longest_bytes`, which also bounds the time: a small file can describe
/// endless values by sharing.
std::string valueText(ValueTree& tree, ValueTree::Node node, std::size_t longest_bytes);

} // namespace tidemark::reader
