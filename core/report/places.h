// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/label/stacks/code_lines.h"

#include <cstddef>
#include <string>
#include <unordered_map>

namespace tidemark::report {

/// Where an allocation was asked for, as lists say it.
struct Place {
    label::CodeLines lines;
    std::string text; ///< Of the line that is shown; empty where nothing tells.
    std::string user; ///< The user's line; empty without one.
    std::string caller; ///< The same where it is another line than what is shown.
};

/// The places of one analysis, which must outlive it. A stack is read once, however many
/// allocations share it, and so is what the file says of the forward pass of those without frames.
class Places {
public:
    explicit Places(const diagnose::Analysis& analysis);
    /// O(1) but for the first of a stack. Valid until the next call.
    const Place& of(std::size_t device, AllocationId allocation);

private:
    const diagnose::Analysis& m_analysis;
    label::LineFinder m_finder;
    std::unordered_map<StackId, Place> m_of_stack;
    std::unordered_map<StringId, Place> m_of_forward;
};

} // namespace tidemark::report
