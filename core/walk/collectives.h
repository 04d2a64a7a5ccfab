// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/layers.h"

namespace tidemark::walk {

// What GPUs that share one model exchange, as memory sees it: results are new tensors (functional
// collectives), and where tokens are divided along the sequence, which is not the first dimension,
// the pieces are put in order by another copy. With one GPU each is the tensor itself. Sources:
// torch/distributed/_functional_collectives.py and tensor/parallel/style.py of torch 2.13;
// parallelize.py of torchtitan (apply_tp).

/// The part of the model that one of the GPUs has which share each matrix: heads, feed-forward and
/// vocabulary are divided, hidden states are not. Requires that heads can be divided.
ModelShape partOf(const ModelShape& model, const Division& division);
/// What one of the GPUs sees of a run whose sequences are divided.
RunShape partOf(const RunShape& run);

/// In front of matrices that are divided by columns: all tokens (all-gather), or the input as it
/// is, whose gradient is summed in backward.
Tensor enterParts(const Context& context, const Tensor& x);
/// Behind matrices that are divided by rows: the sum of all parts (all-reduce), or this GPU's
/// tokens of it (reduce-scatter).
Tensor leaveParts(const Context& context, const Tensor& x);
/// Rows to the GPUs that have their experts, or back (all-to-all). As many come as go: the router
/// is taken to spread them evenly.
Tensor exchangeRows(const Context& context, const Tensor& x);

} // namespace tidemark::walk
