// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/reader/limits.h"
#include "core/reader/value_tree.h"
#include "core/trace/snapshot_builder.h"

#include <stop_token>

namespace tidemark::reader {

/// Values of a snapshot → columns, for all layouts since torch 1.13: a bare list of segments,
/// blocks with `history` and without address, host memory, profile-derived data, files of other
/// tools. What a value lacks or has too much becomes an input note; no value can make it fail
/// except a root that is not a snapshot at all (notASnapshot, saying what it looks like), more
/// devices than `limits` allows (tooLarge), or a stop (cancelled). O(size of the tree).
Result<Done> decodeSnapshot(ValueTree& tree, ValueTree::Node root, trace::SnapshotBuilder& builder,
                            const Limits& limits, ProgressSink& progress,
                            const std::stop_token& stop);

} // namespace tidemark::reader
