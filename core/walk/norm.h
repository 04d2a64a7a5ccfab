// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/layers.h"

#include <cstdint>

namespace tidemark::walk {

/// The norm of a decoder's layers, of the model's kind. Sources: LlamaRMSNorm, GemmaRMSNorm,
/// Olmo2RMSNorm, OlmoLayerNorm and CohereLayerNorm of transformers 5.24; torch.nn.LayerNorm.
class Norm {
public:
    /// Rows of `width`; `sets`: weights of their own for so many rows of each token, of Cohere's
    /// heads.
    Norm(const Context& context, std::int64_t width, std::int64_t sets = 1);
    [[nodiscard]] Tensor operator()(const Context& context, const Tensor& x) const;

private:
    [[nodiscard]] Tensor scaled(const Context& context, const Tensor& x) const;
    [[nodiscard]] Tensor centered(const Context& context, const Tensor& x) const;

    std::int64_t m_width;
    Parameter* m_weight = nullptr;
    Parameter* m_bias = nullptr;
};

} // namespace tidemark::walk
