// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <optional>
#include <string>

namespace tidemark::test {

/// The first thing in which two snapshots differ, in words; nothing where they say the same. Texts
/// and stacks are compared by content, since their ids follow from the order of reading. What tells
/// how a file was read (the reader's name, the note that a second one was asked) is left out.
std::optional<std::string> firstDifference(const trace::Snapshot& a, const trace::Snapshot& b);

} // namespace tidemark::test
