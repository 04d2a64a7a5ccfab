// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// What a person or a configuration in a text says of the run: prose, options, Python.
struct StatedRun {
    std::optional<std::int64_t> parameters; ///< "1.829B parameters"; of adapters alone: unset.
    std::optional<std::int64_t> model; ///< The same by a model's name: "Llama-2-7b", "a 13B model".
    std::optional<std::int64_t> card; ///< Bytes of one GPU: "24 GB card", "A100 80GB".
    int weight_bits = 16; ///< Of a model's weights: what the text says, else 16.
    std::optional<std::int64_t> gpus; ///< "8x A100", "--nproc_per_node=8"; of several the fewest.
    bool has_one_sample = false; ///< "batch_size=1": no smaller micro-batch.
    bool has_adam = false;
    bool has_sgd = false;
    std::optional<Bytes> states; ///< The optimizer's, on one GPU, where a budget is written.
    std::vector<std::string_view> in_use; ///< Ids of fixes that the run has on already.

    [[nodiscard]] bool uses(std::string_view fix) const;
    /// Of the optimizer's state, on one GPU: as written, else 4 to 8 bytes per parameter of Adam.
    struct Range {
        std::int64_t low = 0;
        std::int64_t high = 0;
    };
    [[nodiscard]] std::optional<Range> stateRange() const;
};

/// Of the first `kPostedText` bytes; O(that).
StatedRun statedRun(std::string_view text);

} // namespace tidemark::diagnose
