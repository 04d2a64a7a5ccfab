// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemark::trace {

// Notes of a file that ends too early: a copy that broke off, or one whose rest is on its way.
inline constexpr std::string_view kCutOff = "cut-off";
inline constexpr std::string_view kArriving = "arriving";
bool endsEarly(const InputNotes& notes);
/// Where a copy is broken: a sentence with where it ends and what to do. Else empty.
std::string brokenCopyWords(const Snapshot& snapshot);

/// What was taken out.
struct CutTrace {
    std::size_t blocks = 0;
    std::size_t segments = 0;
};

/// For a device whose trace lost its last events because the file was cut off: makes its final
/// state, which the file has from the later time of the dump, that of the last event there is, as
/// far as can be told. A block that was allocated while recording, which shows in its stack, or at
/// an address that the trace frees last, but not by any event that is there, was allocated by one
/// that is missing: it becomes inactive. Segments with a stack that no event of the trace makes go
/// when nothing is left in them. Where the trace lacks its beginning, too, blocks and segments that
/// no event touches are left as they are: most are older than the trace. What was there before the
/// first event and is freed by one that is missing cannot be known. O(events + blocks), with a
/// table of the live addresses.
CutTrace endWithTrace(Device& device);

} // namespace tidemark::trace
