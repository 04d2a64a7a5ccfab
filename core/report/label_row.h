// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::report {

/// One allocation as every list shows it. Views point into the analysis.
struct LabelRow {
    std::optional<std::int64_t> alloc_event; ///< Unset: allocated before the trace.
    std::optional<std::int64_t> free_requested_event;
    std::optional<std::int64_t> free_event; ///< The `free_completed`.
    Address address = 0;
    Bytes requested;
    Bytes block_low; ///< Bounds of the block's size; exact where equal.
    Bytes block_high;
    std::string_view bucket;
    std::string_view role; ///< Empty: none.
    int confidence = 0; ///< Percent.
    const label::Reason* reason = nullptr;

    /// The block's size where it is known.
    [[nodiscard]] std::optional<Bytes> block() const
    {
        return block_low == block_high ? std::optional(block_low) : std::nullopt;
    }
    /// "rule: evidence", for programs.
    [[nodiscard]] std::string reasonText() const;
    /// The evidence alone, for people; the rule where there is none.
    [[nodiscard]] const std::string& why() const
    {
        return reason->evidence.empty() ? reason->rule : reason->evidence;
    }
};

/// Requires replay, block sizes and labels. O(1).
LabelRow labelRow(const diagnose::Analysis& analysis, std::size_t device, AllocationId allocation);

} // namespace tidemark::report
