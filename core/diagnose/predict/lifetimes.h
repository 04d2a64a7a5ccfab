// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/predict/changed_run.h"

#include <span>

namespace tidemark::diagnose {

/// What laws that change lifetimes do together, one after the other. The allocations of a block
/// have one gap between its forward and its backward, so those of a kind turn together.
/// O(allocations of the laws' buckets · laws + turns log turns).
Lifetimes changedLifetimes(const Facts& facts, const SizeKinds& kinds,
                           std::span<const Law* const> laws);

} // namespace tidemark::diagnose
