// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/parameters.h"
#include "core/walk/run_shape.h"

namespace tidemark::walk {

/// What the optimizer keeps of each weight, where it is not there yet.
void makeStates(Tape& tape, Parameters& parameters, const RunShape& run);

/// One step of the optimizer: states on the first one, and what it needs for a moment.
void stepOptimizer(Tape& tape, Parameters& parameters, const RunShape& run);

} // namespace tidemark::walk
