// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

namespace tidemark::trace {

/// A file may have a device's trace and none of its segments: tools that gather the traces of
/// several ranks into one file keep the segments of their own rank alone. Taken as the state at the
/// end, "nothing" would contradict every event. For a device without segments whose events leave
/// memory behind, makes the final segments and blocks that they leave. What was there before the
/// first event and no event frees is not known then, and a block is as large as its request,
/// rounded, and what is too little to be split off. False, with nothing done, for any other device.
/// O(events log live blocks).
bool segmentsFromTrace(Device& device);

/// The same for every device, with a note that says so.
void fillLackingSegments(Snapshot& snapshot);

} // namespace tidemark::trace
