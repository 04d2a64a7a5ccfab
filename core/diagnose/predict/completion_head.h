// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/facts/facts.h"
#include "core/diagnose/predict/pass_completion.h"

#include <cstdint>
#include <optional>

namespace tidemark::diagnose {

// What a model's head and the loss make in a pass that was cut off before they had. Each
// O(allocations).

/// Sizes are alike up to this share.
inline constexpr double kAlike = 0.01;

/// How many allocations of a pass are as large as that and live, or nothing where blocks make such.
std::optional<int> countLive(const Facts& facts, const Pass& pass, double bytes);

/// Whether the loss itself ran out of memory.
bool failedInLoss(const Facts& facts);

/// Adds logits of a language model: as many rows as the hidden state has, as many columns as the
/// embedding has rows. The embedding is the largest weight that no block has. Nothing where these
/// are not found. Where the loss itself failed that tells.
void addLogits(const Facts& facts, const BlockWeights& weights, std::uint32_t pass,
               PassCompletion& completion);

} // namespace tidemark::diagnose
