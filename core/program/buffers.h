// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/program.h"
#include "core/program/solution.h"

namespace tidemark::program {

/// Whether what is kept as weights are is a buffer by its size alone: it is never trained, and no
/// parameter.
///
///     sequence · head width, or half of it   ──▶ cosines and sines of rotary embedding
///     sequence · sequence                    ──▶ a mask
///     sequence · 8 B, tokens · 8 B           ──▶ positions, ids
///     a vector that is no side of a matrix   ──▶ inverse frequencies, counters
///
/// Only for weights that show a structure, and the first three where the activations do
/// (`has_rows`). Of sizes that are rows of hidden as well no more than
/// two: a layer's weights are one a layer at least. O(1).
bool isBuffer(const WeightSize& weight, const Solution& solution, bool has_rows);

} // namespace tidemark::program
