// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/convolutions.h"
#include "core/diagnose/facts.h"

#include <cstdint>

namespace tidemark::diagnose {

/// What the rest of a first forward pass would have added, where no earlier pass shows it: the
/// weights tell how many blocks there are, the blocks that ran tell what one keeps, and the
/// embedding tells how large logits are.
struct Forecast {
    std::int64_t blocks = 0; ///< Of the whole pass; 0 where they or their number cannot be told.
    std::int64_t begun = 0; ///< Of them, before it was cut off; two at least.
    StateId first_begin; ///< Before the first of them.
    StateId last_begin; ///< Before the last of those.
    std::int64_t logits_bytes = 0; ///< With their copies still to come, if there are any.
    bool is_at_head = false; ///< They are what failed: all blocks have run.
    bool has_logits = false; ///< Likely; a model that reads tokens may also sort them into classes.
    Convolutions convolutions; ///< Where there are no blocks: the layers of a network of these.
};
/// O(allocations).
Forecast forecastFirstPass(const Facts& facts);

} // namespace tidemark::diagnose
