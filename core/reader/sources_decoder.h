// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/tree_access.h"
#include "core/reader/value_tree.h"
#include "core/trace/snapshot.h"

#include <vector>

namespace tidemark::reader {

/// `source_code`, as torch-snapkit (0.1.4, torch_snapkit/snapshot.py) adds it: path → text of each
/// Python file that a frame names. What is no text is noted and left out.
std::vector<trace::SourceFile> decodeSources(TreeAccess& access, ValueTree::Node dict);

} // namespace tidemark::reader
