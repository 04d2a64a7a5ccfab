// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/corrections/correction_match.h"
#include "core/label/corrections/corrections.h"
#include "core/replay/replay.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::label {

/// The stacks of a snapshot by the name of their innermost telling frame, as rules write stacks.
class StacksByName {
public:
    /// O(frames of all stacks).
    explicit StacksByName(const trace::Snapshot& snapshot);

    /// Those whose innermost telling frame has a name.
    [[nodiscard]] std::span<const StackId> of(std::string_view name) const;

private:
    std::unordered_map<std::string_view, std::vector<StackId>> m_stacks;
};

/// The allocations of a device by what rules ask for, so that many rules need not go through all of
/// them each.
class AllocationIndex {
public:
    /// O(allocations log allocations).
    explicit AllocationIndex(const replay::Allocations& allocations);

    /// Some allocations, with all of those that a rule means among them: the fewest of those at its
    /// address, of its sizes and of its stacks. `matcher`: of the rule.
    [[nodiscard]] std::vector<AllocationId> candidates(const CorrectionMatch& match,
                                                       const StacksByName& names,
                                                       StackMatcher& matcher) const;

private:
    using Ids = std::vector<AllocationId>;
    [[nodiscard]] std::span<const AllocationId> ofAddress(Address address) const;
    [[nodiscard]] std::span<const AllocationId> ofSizes(const CorrectionMatch& match) const;
    [[nodiscard]] std::span<const AllocationId> ofStack(StackId stack) const;

    const replay::Allocations& m_allocations;
    Ids m_by_address;
    Ids m_by_size;
    Ids m_by_stack;
    std::vector<StackId> m_stacks; ///< That made any.
};

} // namespace tidemark::label
