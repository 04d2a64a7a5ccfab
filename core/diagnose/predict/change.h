// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// A change to the recorded run, in the words of `tidemark-cli predict --apply`.
enum class ChangeKind : std::uint8_t {
    micro_batch, ///< value = ratio to the recorded micro-batch.
    accumulation, ///< count; with micro_batch keeps the effective batch.
    sequence, ///< ratio
    checkpointing, ///< "full"; "selective": attention matrices; "attention": all of attention.
    precision, ///< "bf16" (autocast) or "pure-bf16"
    optimizer, ///< "sgd", "sgd-momentum", "lion", "adamw8bit", "paged-adamw8bit", "adafactor",
               ///< "muon"
    foreach, ///< "off"
    fused, ///< "on"
    set_to_none, ///< "on"
    attention, ///< "flash"
    /// "on": a loss in parts, whatever its kind; a count: fused, in so many parts; "remade" with or
    /// without a count: each part is made again in backward, as under torch.utils.checkpoint.
    fused_loss,
    zero, ///< stage 1, 2, 3
    gpus, ///< count
    offload, ///< "optimizer", "parameters", "activations"
    lora, ///< rank
    qlora, ///< rank
    eval_accumulation, ///< batches kept on the GPU
};

struct Change {
    ChangeKind kind = ChangeKind::micro_batch;
    double number = 0; ///< For kinds with a ratio, a stage, a rank or a count.
    std::string word; ///< For kinds with a word; a count may stand beside it.

    [[nodiscard]] int count() const;
};

/// Parses "micro-batch=0.5,accumulation=2". Errors: badArgument naming the part and what is
/// allowed.
Result<std::vector<Change>> parseChanges(std::string_view text);
/// The text form again: "micro-batch=0.5".
std::string changeText(const Change& change);

} // namespace tidemark::diagnose
