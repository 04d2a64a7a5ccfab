// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/program.h"
#include "core/program/size_uses.h"
#include "core/program/solution.h"
#include "core/program/structure.h"

#include <string>
#include <vector>

namespace tidemark::program {

/// What may be said of a solution.
struct Statements {
    std::vector<Dimension> dimensions;
    std::string unidentified; ///< What is missing, and why; empty: nothing.
};

/// States the dimensions that the structure bears out, each with its evidence and with what was
/// nearly as good. Where another value is about as good as the best, it is not stated. O(hypotheses
/// + sizes).
Statements stateDimensions(const Solution& solution, const SizeUses& uses,
                           const Structure& structure);

} // namespace tidemark::program
