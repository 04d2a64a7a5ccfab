// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"
#include "core/diagnose/facts/pass_layers.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tidemark::diagnose {

/// What the rest of a first forward pass would have added, where no earlier pass shows it: the
/// weights tell how many blocks there are, the blocks that ran tell what one keeps, and the
/// embedding tells how large logits are. Without blocks the weights that were used tell how much
/// the others keep.
struct PassCompletion {
    std::int64_t blocks = 0; ///< Of the whole pass; 0 where they or their number cannot be told.
    std::int64_t begun = 0; ///< Of them, before it was cut off; two at least.
    StateId first_begin; ///< Before the first of them.
    StateId last_begin; ///< Before the last of those.
    double passing = 0; ///< Share of what the pass had made until there that is gone at the moment.
    std::int64_t logits_bytes = 0; ///< With their copies still to come, if there are any.
    bool is_at_head = false; ///< They are what failed: all blocks have run.
    std::int64_t live_logits = 0; ///< Bytes of those that live there.
    std::int64_t live_gradients = 0; ///< Of theirs, where backward has begun.
    std::int64_t matrix_bytes = 0; ///< The largest attention matrix that a block keeps.
    std::int64_t kept_after_matrix = 0; ///< What that block keeps of what it made later.
    PassLayers pass_layers; ///< Where there are no blocks.
    double rest = 0; ///< Else what is to follow, of what the pass has made; 0: not known.

    [[nodiscard]] bool isKnown() const
    {
        return blocks > 0 || pass_layers.isKnown();
    }
    /// What the backward of a block's attention needs beyond what all blocks keep, if matrices,
    /// logits and their gradients change by these factors: two gradients beside its matrix, when
    /// what that block made later is gone, and so are the logits.
    [[nodiscard]] double besideMatrix(double matrices, double logits, double gradients) const
    {
        return 2 * static_cast<double>(matrix_bytes) * matrices
            - static_cast<double>(kept_after_matrix) - static_cast<double>(live_logits) * logits
            - static_cast<double>(live_gradients) * gradients;
    }
};
/// O(allocations).
PassCompletion completeFirstPass(const Facts& facts);

/// Of one that failed at the gradient of the loss, in its first backward; nothing of others.
/// `before`: `lossGradientsBefore`. O(allocations).
PassCompletion completeFirstBackward(const Facts& facts, std::optional<int> before);

/// What the rest is taken from, one sentence.
std::string completionNote(const PassCompletion& completion);

} // namespace tidemark::diagnose
