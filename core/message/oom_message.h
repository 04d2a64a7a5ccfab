// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// Another process that an out-of-memory message names.
struct MessageProcess {
    std::int64_t pid = 0;
    std::optional<Bytes> in_use;
};

/// A figure as it was printed: rounded, so that the true amount lies from `low` to `high`.
struct PrintedFigure {
    std::string name; ///< Of the field: "tried", "total", …
    Bytes bytes;
    Bytes low;
    Bytes high;
};

/// The figures of an out-of-memory text, each in bytes rounded to nearest; absent where the text
/// has no such figure. The printed request (`tried`) is the segment that the allocator attempted,
/// not the tensor, unless `asks_for_tensor`.
struct OomMessage {
    std::string backend; ///< "CUDA", "HIP", "XPU", "MPS", …
    std::optional<Bytes> tried;
    std::optional<Bytes> total;
    std::optional<Bytes> free;
    std::optional<Bytes> allocated;
    std::optional<Bytes> reserved;
    std::optional<Bytes> cached;
    std::optional<Bytes> unallocated;
    std::optional<Bytes> allowed;
    std::optional<Bytes> private_pools;
    std::optional<Bytes> this_process;
    std::optional<Bytes> in_use; ///< Of the whole card, by all who use it.
    std::optional<Bytes> other; ///< Of this process beside the allocator, where MPS says so.
    std::optional<Bytes> reserve; ///< What expandable segments set aside for one stream.
    std::optional<std::int64_t> gpu;
    std::vector<MessageProcess> processes;
    bool this_process_unknown = false; ///< Printed as 2^64 bytes: not available.
    bool is_bare = false; ///< An error of the driver or of a library: no figures.
    bool rejected_by_limit = false; ///< Refused before the driver was asked.
    bool asks_for_tensor = false; ///< cudaMallocAsync and MPS: no segments of their own.
    bool is_absurd = false; ///< "more than 1EB": no size that a tensor can have.
    std::vector<PrintedFigure> printed; ///< Every figure above with its interval.
    std::optional<std::int64_t> rank; ///< Of the line in a log.
    std::size_t offset = 0; ///< Where in the text it was found.

    [[nodiscard]] const PrintedFigure* figure(std::string_view name) const;
};

/// Finds the last out-of-memory message of PyTorch in a text (a message, a traceback, or a log) and
/// reads its figures. Nullopt if there is none. 2^64 B sentinels ("17179869184.00 GiB") count as
/// absent. O(text). `message/log_findings.h` reads everything in a log.
std::optional<OomMessage> parseOomMessage(std::string_view text);

} // namespace tidemark::diagnose
