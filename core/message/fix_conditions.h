// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/run_activity.h"
#include "core/message/text_situation.h"

#include <string_view>

namespace tidemark::diagnose {

/// What a text says that speaks against fixes.
struct TextFacts {
    RunActivity activity = RunActivity::unknown;
    RunKind kind = RunKind::unknown;
    bool is_host = false; ///< Host memory ran out, or nothing did.
    bool is_of_others = false; ///< Other processes fill the GPU.
    bool is_one_gpu = false; ///< "On a single 3090".
    bool has_other_optimizer = false; ///< SGD and no Adam.
    bool is_one_sample = false; ///< The batch cannot be smaller.
    bool is_one_tensor = false; ///< One request is larger than all that states could free.
    int weight_bits = 16; ///< In which the weights that do not fit are loaded; 16: not said.
    bool is_small =
        false; ///< States are little: a ResNet, a U-Net, or nothing names a large model.
    bool is_of_images = false; ///< Or of videos, volumes, points: no tokens.
    bool is_of_tokens = false;

    [[nodiscard]] bool runsForwardOnly() const
    {
        return activity == RunActivity::inference || activity == RunActivity::evaluation
            || (activity == RunActivity::unknown
                && (kind == RunKind::engine || kind == RunKind::diffusion
                    || kind == RunKind::loading || kind == RunKind::evaluation));
    }
};

/// Whether nothing in the text contradicts what a fix needs. One table for all of them. O(table).
bool mayApply(std::string_view fix, const TextFacts& facts);

} // namespace tidemark::diagnose
