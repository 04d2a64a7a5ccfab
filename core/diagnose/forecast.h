// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts.h"

#include <cstdint>

namespace tidemark::diagnose {

/// What the rest of a first forward pass would have added, where no earlier pass shows it: the
/// weights tell how many blocks there are, the blocks that ran tell what one keeps, and the
/// embedding tells how large logits are.
struct Forecast {
    /// What the blocks of the whole pass add, to what had been added when it was cut off; 0 where
    /// the blocks or their number cannot be told.
    double ratio = 0;
    std::int64_t logits_bytes = 0; ///< With their copies; 0 where there are none.
};
/// O(allocations).
Forecast forecastFirstPass(const Facts& facts);

} // namespace tidemark::diagnose
