// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/layers.h"

#include <array>
#include <string_view>

namespace tidemark::walk {

// What BERT, BART, T5 and ViT are built of: attention of four matrices without rotation, and a
// feed-forward of two.

/// The names of four linear layers: queries, keys, values and out.
using AttentionNames = std::array<std::string_view, 4>;

class ClassicAttention {
public:
    /// `width`: of all heads together.
    ClassicAttention(const Context& context, const AttentionNames& names, std::int64_t width,
                     bool has_bias, bool has_output_bias);
    /// Tokens of x look at those of `source`: at themselves, or at another sequence.
    [[nodiscard]] Tensor operator()(const Context& context, const Tensor& x, const Tensor& source,
                                    const AttentionCall& call) const;

private:
    Linear m_query;
    Linear m_key;
    Linear m_value;
    Linear m_out;
};

/// down(act(up(x))), with dropout in between where the model has it.
class ClassicMlp {
public:
    ClassicMlp(const Context& context, std::string_view up, std::string_view down,
               std::int64_t width, bool has_bias);
    [[nodiscard]] Tensor operator()(const Context& context, const Tensor& x) const;

private:
    Linear m_up;
    Linear m_down;
};

} // namespace tidemark::walk
