// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/assign/assigner.h"

#include <cstdint>
#include <unordered_set>

namespace tidemark::label {

/// Optimizers written by hand make new tensors instead of changing them in place. The one that a
/// parameter gives way to is the last of its size made before the parameter goes. Ids of those made
/// in an optimizer run. Requires that what was made before the run has its label. O(events of the
/// run).
std::unordered_set<std::uint32_t> findReplacedParameters(const RuleInputs& evidence,
                                                         const Assigner& labels, const Run& run);

} // namespace tidemark::label
