// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

namespace tidemark::diagnose {

/// Of all sizes; where something convolves with the number of samples and the largest workspace.
/// O(allocations log).
SizeUses sizeUsesOf(const DeviceRun& run);

} // namespace tidemark::diagnose
