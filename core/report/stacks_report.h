// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/curves/stack_tree.h"
#include "core/report/document.h"
#include "core/report/json.h"
#include "core/report/selection.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::report {

/// Which calls to list.
struct StacksQuery {
    NamedMoment from; ///< Of measures over a range: its first moment.
    NamedMoment at; ///< The moment, or the last of the range.
    std::optional<std::int32_t> device; ///< As in `chosenDevices`; unset: all that are not empty.
    curves::StackTreeRequest request; ///< Its range is filled in.
    std::size_t top = 60; ///< Calls to print, those with the most bytes.
};

struct DeviceStacks {
    std::size_t device = 0; ///< Index into the snapshot's devices.
    Interval<StateId> range;
    curves::StackTree tree;
};

/// Errors: badArgument for an unknown device, where none has the moments, or where the first comes
/// after the last.
Result<std::vector<DeviceStacks>> stackTrees(const diagnose::Analysis& analysis,
                                             const StacksQuery& query);

/// The object that `stacks --json` prints. Calls stand before what they call, each with the index
/// of the one that it hangs under.
Json stacksJson(const diagnose::Analysis& analysis, const std::vector<DeviceStacks>& stacks,
                const StacksQuery& query);
/// The same for people, as indented lines.
Document stacksDocument(const diagnose::Analysis& analysis, const std::vector<DeviceStacks>& stacks,
                        const StacksQuery& query);

/// The `top` largest calls in the order of the tree. With a call all that it hangs under are among
/// them, since those are no smaller.
std::vector<std::uint32_t> largestCalls(const curves::StackTree& tree, std::size_t top);

/// `visibleText` of each line of a text.
std::string visibleLines(std::string_view lines);

} // namespace tidemark::report
