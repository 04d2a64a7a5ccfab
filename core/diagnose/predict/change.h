// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// A change to the recorded run; `changeWords` says what each is and what it takes.
enum class ChangeKind : std::uint8_t {
    micro_batch,
    accumulation, ///< With micro_batch it keeps the effective batch.
    sequence,
    checkpointing,
    precision,
    optimizer,
    foreach,
    fused,
    set_to_none,
    attention,
    /// "on": a loss in parts, whatever its kind; a count: fused, in so many parts; "recompute" with
    /// or without a count: each part is computed again in backward, as under
    /// torch.utils.checkpoint.
    fused_loss,
    zero,
    gpus,
    offload,
    lora,
    qlora,
    eval_accumulation,
};

struct Change {
    ChangeKind kind = ChangeKind::micro_batch;
    double number = 0; ///< For kinds with a ratio, a stage, a rank or a count.
    std::string word; ///< For kinds with a word; a count may stand beside it.
    std::vector<std::string> layers{}; ///< That get adapters, by name; none: the usual ones.

    [[nodiscard]] int count() const;
};

/// Parses "micro-batch=0.5,lora=16:q_proj,v_proj"; what has no "=" is one more layer. Errors:
/// badArgument naming the part and what is allowed.
Result<std::vector<Change>> parseChanges(std::string_view text);
/// The text form again: "micro-batch=0.5".
std::string changeText(const Change& change);
std::string changesText(const std::vector<Change>& changes);

} // namespace tidemark::diagnose
