// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/value_tree.h"

#include <string>

namespace tidemark::reader {

/// What a value that is not a snapshot looks like, to be put after "This is": "a PyTorch
/// checkpoint", "a dictionary with the keys a, b and 3 more".
std::string describeRoot(ValueTree& tree, ValueTree::Node root);

} // namespace tidemark::reader
