// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/changes.h"
#include "core/compare/size_ratios.h"

namespace tidemark::compare {

/// What became of batch and sequence between two whole runs; where their passes have no ratio in
/// common, as batches of other lengths have none, in the pass of `moment`.
///
///     A   512 tokens    512    512    512
///     B  2048          2048   2048   6144, at whose peak the runs are compared: × 12
///
/// `width`, `is_other_model`, `loops` as of `findShapeChange`. O(allocations log + size pairs²).
ShapeChange shapeBetween(const Both& both, SideMoment moment, double width, bool is_other_model,
                         double loops);

/// What two runs of the same weights tell of each other's precision by their sizes, where nothing
/// else does: most of those that changed are half as large, while the inputs are the same to the
/// byte. O(allocations log).
void tellPrecisionsBySizes(const Both& both, RunTraits& a, RunTraits& b);

/// Adds it to what was found, with the values of both runs.
void addShape(const Side& a, const Side& b, const ShapeChange& shape, FoundChanges& found);

} // namespace tidemark::compare
