// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <cstdint>
#include <string_view>

namespace tidemark::label {

/// Which torch made a snapshot, as far as it matters for what follows what was recorded.
enum class TorchRelease : std::uint8_t {
    unknown,
    before_2_0, ///< `zero_grad()` zeroes by default; later ones drop gradients.
    v2_0, ///< With those before: Adam that takes all weights at once makes two lists in passing.
    after_2_0,
};

/// Told by lines of torch's own that call an optimizer's step or switch gradients off:
/// `_use_grad` of optim/optimizer.py (line 23 in 1.13, 33 in 2.0, 76 and more since) and
/// `decorate_context`, which 2.0 moved from autograd/grad_mode.py to utils/_contextlib.py.
/// O(frames).
TorchRelease torchRelease(const trace::Snapshot& snapshot);

/// Whether an optimizer step's stack may be of one that has a fused step: torch's Adam, AdamW or
/// SGD, or one that nothing of Python shows.
bool mayBeFused(const trace::Snapshot& snapshot, StackId stack);

/// Which other backend than CUDA's allocated, by files of its own in the stacks, in the words of
/// `OomMessage::backend`; empty: none seen. O(frames).
std::string_view backendOf(const trace::Snapshot& snapshot);

} // namespace tidemark::label
