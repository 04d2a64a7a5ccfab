// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/corrections/corrections.h"

#include <span>
#include <vector>

namespace tidemark::pipeline {

/// Whether two lists say the same, wherever they were read from.
bool isSameList(std::span<const label::Correction> a, std::span<const label::Correction> b);

/// One list of what two programs made of the list `base`: `ours` in its order, without what
/// `theirs` took out of `base`, behind what `theirs` added, so that ours wins. O(product).
std::vector<label::Correction> mergedRules(std::span<const label::Correction> base,
                                           std::span<const label::Correction> ours,
                                           std::span<const label::Correction> theirs);

} // namespace tidemark::pipeline
