// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/plan/model_shape.h"
#include "core/plan/parameters.h"
#include "core/plan/run_shape.h"

#include <cstdint>
#include <string_view>

namespace tidemark::plan {

/// What the layers of a model share while it runs.
struct Context {
    Tape& tape;
    const ModelShape& model;
    const RunShape& run;
    Parameters& parameters;
};

/// A linear layer, with the adapter that PEFT adds where its name is a target.
class Linear {
public:
    Linear(const Context& context, std::string_view name, std::int64_t in, std::int64_t out,
           bool has_bias);
    /// Source: torch.nn.Linear; peft/tuners/lora/layer.py, Linear.forward (peft 0.21).
    [[nodiscard]] Tensor operator()(const Context& context, const Tensor& x) const;

private:
    std::int64_t m_in;
    std::int64_t m_out;
    Parameter* m_weight;
    Parameter* m_bias = nullptr;
    Parameter* m_down = nullptr; ///< lora_A
    Parameter* m_up = nullptr; ///< lora_B
};

/// LlamaRMSNorm, or that of Gemma, which multiplies with 1 + weight before it casts back.
class RmsNorm {
public:
    RmsNorm(const Context& context, std::int64_t width);
    [[nodiscard]] Tensor operator()(const Context& context, const Tensor& x) const;

private:
    std::int64_t m_width;
    bool m_is_shifted;
    Parameter* m_weight;
};

/// torch.nn.LayerNorm.
class LayerNorm {
public:
    LayerNorm(const Context& context, std::int64_t width);
    [[nodiscard]] Tensor operator()(const Context& context, const Tensor& x) const;

private:
    std::int64_t m_width;
    Parameter* m_weight;
    Parameter* m_bias;
};

/// The activation function of the feed-forward.
Tensor activate(const Context& context, const Tensor& x);
/// Dropout where `drops`; else x itself.
Tensor dropped(const Context& context, const Tensor& x, bool drops);

/// cos and sin of all positions.
struct Rotation {
    Tensor cos;
    Tensor sin;
};
Rotation rotationOf(const Context& context, Dtype type);
/// x · cos + rotate_half(x) · sin; of the Phi family of a part of x, joined to the rest.
Tensor rotated(const Context& context, const Tensor& x, const Rotation& rotation);

/// The mask that a forward makes once: nothing where kernels know by themselves what to leave out.
/// `slides`: of layers with a window.
Tensor maskOf(const Context& context, bool slides, Dtype type);

/// How the scores of a layer are computed, and with what mask.
struct AttentionCall {
    Tensor mask; ///< May be none.
    bool drops = false;
    bool is_causal = true;
};
/// From queries, keys and values by head to the output by token. Follows the run's kind of
/// attention; the kernel of sdpa follows target and precision.
Tensor attend(const Context& context, const Tensor& q, const Tensor& k, const Tensor& v,
              const AttentionCall& call);

/// The kernel that scaled_dot_product_attention takes by itself.
Kernel kernelOf(const ModelShape& model, const RunShape& run, bool is_masked);

/// Mean cross entropy of the next tokens, of most models with the logits in fp32. Source:
/// loss/loss_utils.py of transformers 5.23.
Tensor languageLoss(const Context& context, const Tensor& logits, const Tensor& labels);

} // namespace tidemark::plan
