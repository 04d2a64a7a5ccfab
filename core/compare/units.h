// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/alignment.h"
#include "core/compare/side.h"
#include "core/label/runs/passes.h"

#include <cstdint>
#include <vector>

namespace tidemark::compare {

/// A trace cut into passes and what lies between them: unit 0 is before the first pass, unit
/// 2 p + 1 is pass p, unit 2 p + 2 what follows it.
class Units {
public:
    explicit Units(const Side& side);

    [[nodiscard]] const std::vector<label::Pass>& passes() const
    {
        return m_passes;
    }
    /// O(log passes).
    [[nodiscard]] std::int32_t at(StateId state) const;
    /// Per allocation the unit it was made in; −1 before the trace. O(allocations + passes).
    [[nodiscard]] std::vector<std::int32_t> ofAllocations(const Side& side) const;

private:
    std::vector<label::Pass> m_passes;
};

/// Per pass of B the pass of A that it is; −1: A has none. By kind and order, or by steps where
/// `options` say which belong together or the runs accumulate gradients over other numbers of them;
/// the pass at `moment` gets one in any case. Where no kind is in both, inference lies beside the
/// forwards of training. O(passes).
std::vector<std::int32_t> matchPasses(const Units& a, const Units& b, const AlignOptions& options,
                                      SideMoment moment);

} // namespace tidemark::compare
