// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

namespace tidemark::diagnose {

/// Of all sizes; where something convolves with the number of samples and the largest workspace.
/// O(allocations log).
SizeUses sizeUsesOf(const DeviceRun& run);

/// Notes with their sizes what forward makes of each sample against each, as contrastive
/// losses do: rows² elements, after the last linear layer, where linear layers have so many rows,
/// none of them makes as much and no weight is as large. Its size follows the square of the
/// samples. Only where some forward pass came to its end. As `findLinearCalls`.
SizeCountsOf withSamplePairs(SizeCountsOf size_counts, const DeviceRun& run,
                             const Precision& precision);

} // namespace tidemark::diagnose
