// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/model_shape.h"
#include "core/walk/parameters.h"
#include "core/walk/run_shape.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::walk {

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
    std::string m_module; ///< "q_proj (Linear)"
    std::int64_t m_in;
    std::int64_t m_out;
    Parameter* m_weight = nullptr;
    Parameter* m_bias = nullptr;
    Parameter* m_down = nullptr; ///< lora_A
    Parameter* m_up = nullptr; ///< lora_B
};

/// torch.nn.LayerNorm.
class LayerNorm {
public:
    LayerNorm(const Context& context, std::int64_t width);
    [[nodiscard]] Tensor operator()(const Context& context, const Tensor& x) const;

private:
    std::int64_t m_width;
    Parameter* m_weight = nullptr;
    Parameter* m_bias = nullptr;
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
/// x · cos + rotate_half(x) · sin; of some families of a part of x, joined to the rest.
Tensor rotated(const Context& context, const Tensor& x, const Rotation& rotation);

/// Which tokens may look at which.
struct MaskShape {
    bool is_causal = true;
    bool slides = false; ///< In layers with a window.
    bool may_be_padded = true;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
};
/// The mask that a forward makes once: nothing where kernels know by themselves what to leave out.
Tensor maskOf(const Context& context, const MaskShape& shape, Dtype type);

/// Whose scores are computed.
struct AttentionSize {
    std::int64_t batch = 0;
    std::int64_t queries = 0; ///< Tokens that look,
    std::int64_t keys = 0; ///< and those that are looked at.
    std::int64_t heads = 0;
    std::int64_t key_heads = 0;
    std::int64_t head_width = 0;

    [[nodiscard]] std::int64_t scores() const
    {
        return batch * heads * queries * keys;
    }
    /// Elements of queries, or of keys of all heads.
    [[nodiscard]] std::int64_t widthOf(std::int64_t tokens) const
    {
        return batch * tokens * heads * head_width;
    }
};
/// Of each token to all of its sequence.
AttentionSize selfAttentionSize(const Context& context);

/// How the scores of a layer are computed, and with what mask.
struct AttentionCall {
    AttentionSize size;
    Tensor mask; ///< May be none.
    bool drops = false;
    bool is_causal = true;
    /// The softmax is computed in 32 bits.
    bool is_wide = true;
    /// Added to the scores in place of a mask of truth values; may be learned.
    Tensor bias{};
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

} // namespace tidemark::walk
