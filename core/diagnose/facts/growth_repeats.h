// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/growth.h"

namespace tidemark::diagnose {

// Growth that shows inside one pass: the same stacks allocate again and again. O(allocations).

/// Something made anew by the same stack, each time longer by the same amount, as a cache or a
/// collection is that `cat` extends. Several at a time (layers) are a cache, one is a collection.
Growth findLengthening(const Facts& facts);

/// Whole forward passes one after another with no backward between them, all of whose activations
/// are alive: a loss or an output that is kept holds its graph, or evaluation builds graphs.
/// Criterion: every line of a complete pass that it goes through, it goes through three times as
/// often or more.
Growth findKeptGraph(const Facts& facts);

} // namespace tidemark::diagnose
