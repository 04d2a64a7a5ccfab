// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

#include <cstdint>
#include <optional>

namespace tidemark::diagnose {

// What an operation that ran out of memory had begun. Each O(allocations) at most.

/// Whether a whole training pass came before.
bool sawCompletePass(const Facts& facts);

/// Where backward failed at something as large as the logits, or as each of the last two results of
/// forward: how many of that size it had made. While the first of them is made, that of the
/// operation before it follows. Nothing elsewhere.
std::optional<int> lossGradientsBefore(const Facts& facts);

/// Bytes that an optimizer had still to make in passing by the line that failed: one that takes all
/// weights at once makes model-sized temporaries (foreach); of one that takes them one after the
/// other, what the largest needs beyond this one, unless its turn is over. Requires an OOM event.
std::int64_t restOfTemporaries(const Facts& facts);

} // namespace tidemark::diagnose
