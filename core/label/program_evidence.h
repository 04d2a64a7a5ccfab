// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/program/evidence.h"

namespace tidemark::label {

/// What labels tell the search for the program: their buckets. What a capture or a correction said
/// is certain, the rest is weak. O(allocations).
program::Evidence evidenceOf(const DeviceLabels& labels);

} // namespace tidemark::label
