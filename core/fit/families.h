// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tidemark::fit {

/// What a family's code says that its weights do not. Source: modeling_*.py and configuration_*.py
/// of transformers 5.24.
struct Family {
    std::string_view file{}; ///< The stem of its modeling_*.py.
    std::string_view model_type{}; ///< Empty: as the file.
    bool is_gated = false; ///< Three matrices of a feed-forward, else two.
    bool is_joint = false; ///< Queries, keys and values in one matrix of 3 × hidden.
    /// Rows of the table of positions that come before the first; none: there is no table.
    std::optional<std::int64_t> learned{};
    double turned = 1; ///< Share of a head that positions turn.
    std::int64_t window = 0; ///< Where its configuration has one by default.
    /// Settings of dropout; none: without.
    std::array<std::string_view, 3> dropouts{};
    /// The name of its number of heads.
    std::string_view heads = "num_attention_heads";

    [[nodiscard]] std::string_view type() const
    {
        return model_type.empty() ? file : model_type;
    }
    [[nodiscard]] bool drops() const
    {
        return !dropouts.front().empty();
    }
};

/// Null: no shape is read for that file's family.
const Family* familyOf(std::string_view file);

} // namespace tidemark::fit
