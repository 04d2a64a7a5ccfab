// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/fit/families.h"
#include "core/fit/recording.h"
#include "core/fit/weights.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::fit {

/// A model's configuration as far as its weights tell it.
struct ShapeReading {
    nlohmann::json config; ///< As transformers writes it, without heads and dropout.
    std::vector<std::int64_t> heads; ///< That there may be, likeliest first.
    std::int64_t query_width = 0; ///< Of all heads together.
    std::int64_t key_width = 0;
    std::int64_t positions = 131'072; ///< The longest sequence.
    std::vector<std::int64_t> batches; ///< Of images: that there may be.
};

/// Nothing where the weights are not those of one of the family's models.
std::optional<ShapeReading> readShape(const Recording& recording, const Family& family,
                                      const Weights& weights, const Sizes& sizes);

} // namespace tidemark::fit
