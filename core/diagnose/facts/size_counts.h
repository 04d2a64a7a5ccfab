// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

namespace tidemark::diagnose {

/// Fills `size_counts`, and where something convolves the number of samples and the largest
/// workspace. Requires passes and roles. O(allocations log).
void gatherSizeCounts(Facts& facts);

} // namespace tidemark::diagnose
