// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <optional>
#include <string_view>

namespace tidemark::diagnose {

/// What somebody wrote that the parts of a run take, in a report or an issue; what is not named
/// is 0.
struct WrittenBudget {
    Bytes weights;
    Bytes activations;
    Bytes gradients;
    Bytes states; ///< Of the optimizer.
};

/// The first figure that a line gives each part: "Gradients: ~2-3 GB", the upper one of two.
/// Nothing with fewer than three parts, which is no budget. O(length).
std::optional<WrittenBudget> writtenBudget(std::string_view text);

} // namespace tidemark::diagnose
