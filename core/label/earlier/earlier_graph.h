// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/assign/assigner.h"

#include <vector>

namespace tidemark::label {

/// A graph that a pass before the trace made and that lives on into it: a program without backward
/// binds its result to the name that holds the last one, whose graph goes piece by piece once the
/// new one is complete, in the same sizes. Weights are never freed and made again by a pass.
class EarlierGraph {
public:
    /// After `labelTraced`. O(allocations · log sizes).
    EarlierGraph(const RuleInputs& evidence, const Assigner& labels);

    [[nodiscard]] bool contains(AllocationId a) const
    {
        return !m_of.empty() && m_of[a.index()];
    }

private:
    std::vector<bool> m_of; ///< By allocation; empty without one.
};

} // namespace tidemark::label
