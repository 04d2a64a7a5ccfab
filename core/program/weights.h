// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/observed.h"
#include "core/program/program.h"
#include "core/program/solution.h"
#include "core/program/structure.h"

namespace tidemark::program {

/// The weights of a device with what belongs to each: gradients and optimizer state of its size.
///
///     count of a size among the weights        148
///     most alive at once as gradients          148  ──▶ trained; one gradient each
///                        as state              296  ──▶ two states each
///
/// Where a pass backward was complete and nearly all is trained, the rest are buffers; else those
/// that `isBuffer` knows by their sizes. Whether a size is trained is said only where all of its
/// parameters have a gradient or a state, or where the run trains others and none of these. Where
/// the weights show no structure the activations have no say in how wide an
/// element is, and no shapes are told. O(allocations · log).
Weights weightsOf(const Observed& observed, const WeightSet& set, const Solution& solution,
                  const Structure& structure);

} // namespace tidemark::program
