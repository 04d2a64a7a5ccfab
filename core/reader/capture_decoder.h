// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/tree_access.h"
#include "core/reader/value_tree.h"
#include "core/trace/capture.h"
#include "core/trace/input_notes.h"

#include <optional>

namespace tidemark::reader {

/// What the capture module left under its key. Nothing, and a note, for a version that this reader
/// does not know or for something else; what is damaged in it is left out and noted. O(size of the
/// value); what it takes is counted by `access`.
std::optional<trace::Capture> decodeCapture(TreeAccess& access, ValueTree::Node node,
                                            trace::InputNotes& notes);

} // namespace tidemark::reader
