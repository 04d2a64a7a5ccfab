// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/parameters.h"
#include "core/walk/run_shape.h"

namespace tidemark::walk {

/// One step of the optimizer: states on the first one, and what it needs for a moment.
void stepOptimizer(Tape& tape, Parameters& parameters, const RunShape& run);

} // namespace tidemark::walk
