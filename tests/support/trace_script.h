// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <string_view>

namespace tidemark::test {

// clang-format off
/// Builds a snapshot from a text, one event a line, so that a test shows its whole input:
///
///     stack fwd = forward /home/me/model.py:10; _call_impl /site-packages/torch/nn/modules/module.py:1
///     live w 4096 @load      # lives before the trace; the stack is that of its final block, if it has one
///     a +512 @fwd            # alloc of a, 512 bytes (K, M and G multiply by 1024, 1024², 1024³)
///     a -                    # free_requested and free_completed
///     a -r                   # free_requested alone
///     a -c                   # free_completed alone
///     b +512 at a            # alloc at a's address
///     segment s +20M         # segment_alloc; "segment s -" frees it
///     oom 1M free=512K @fwd
///     empty @                # not needed: an event without @ has no stack, "@-" an empty one
///     lost a                 # removes a from the final blocks: its free got lost
///
/// Everything lives in one large segment from the start; allocations that are not freed become its
/// final blocks. Device 0 unless a line "device N" comes before. Times count 10 µs per event from 1
/// s; a line "no-times" leaves them out. Anything else aborts the test with the line's text.
// clang-format on
trace::Snapshot snapshotFromScript(std::string_view script);

} // namespace tidemark::test
