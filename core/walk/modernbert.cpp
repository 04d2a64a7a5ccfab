// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/network.h"
#include "core/walk/operations.h"

#include <deque>
#include <optional>

namespace tidemark::walk {
namespace {

/// torch.nn.LayerNorm, without a bias where the configuration says so.
class ScaledNorm {
public:
    explicit ScaledNorm(const Context& context)
        : m_weight(&context.parameters.weight(1, context.model.hidden))
    {
        if (context.model.has_norm_bias) {
            m_bias = &context.parameters.weight(1, context.model.hidden);
        }
    }
    Tensor operator()(const Context& context, const Tensor& x) const
    {
        return layerNorm(context.tape, x, m_weight->tensor,
                         m_bias != nullptr ? m_bias->tensor : Tensor(),
                         x.elements / context.model.hidden);
    }

private:
    Parameter* m_weight;
    Parameter* m_bias = nullptr;
};

/// ModernBertEncoderLayer: the first one has no norm in front of its attention.
class ModernBertLayer {
public:
    ModernBertLayer(const Context& context, std::int64_t index)
    {
        const ModelShape& model = context.model;
        if (index > 0) {
            m_attention_norm.emplace(context);
        }
        m_projections.emplace(context, "Wqkv", model.hidden, 3 * model.hidden,
                              model.has_query_bias);
        m_out.emplace(context, "Wo", model.hidden, model.hidden, model.has_query_bias);
        m_norm.emplace(context);
        m_up.emplace(context, "Wi", model.hidden, 2 * model.feed_forward, model.has_mlp_bias);
        m_down.emplace(context, "Wo", model.feed_forward, model.hidden, model.has_mlp_bias);
    }

    Tensor operator()(const Context& context, const Tensor& x, const Rotation& rotation,
                      const Tensor& mask) const
    {
        Tape& tape = context.tape;
        Tensor hidden = m_attention_norm ? (*m_attention_norm)(context, x) : x;
        hidden = attention(context, hidden, rotation, mask);
        const Tensor attended = add(tape, x, hidden);
        hidden = (*m_norm)(context, attended);
        return add(tape, attended, feedForward(context, hidden));
    }

private:
    Tensor attention(const Context& context, const Tensor& x, const Rotation& rotation,
                     const Tensor& mask) const
    {
        const Tensor joint = (*m_projections)(context, x);
        const std::vector<Tensor> parts =
            split(context.tape, joint, {x.elements, x.elements, x.elements}); // unbind
        const Tensor q = rotated(context, parts[0], rotation);
        const Tensor k = rotated(context, parts[1], rotation);
        const Tensor out =
            attend(context, q, k, parts[2],
                   {selfAttentionSize(context), mask, context.model.drops_attention, false, true});
        return dropped(context, (*m_out)(context, out), context.model.drops_attention);
    }
    Tensor feedForward(const Context& context, const Tensor& x) const
    {
        Tape& tape = context.tape;
        Tensor inner;
        {
            const Tensor both = (*m_up)(context, x);
            const std::int64_t half = both.elements / 2;
            const std::vector<Tensor> parts = split(tape, both, {half, half});
            inner = multiply(tape, activate(context, parts[0]), parts[1]);
        }
        inner = dropped(context, inner, context.model.drops_inner);
        return (*m_down)(context, inner);
    }

    std::optional<ScaledNorm> m_attention_norm;
    std::optional<Linear> m_projections;
    std::optional<Linear> m_out;
    std::optional<ScaledNorm> m_norm;
    std::optional<Linear> m_up;
    std::optional<Linear> m_down;
};

/// ModernBertForMaskedLM of modeling_modernbert.py (transformers 5.24).
class ModernBert final : public Network {
public:
    explicit ModernBert(const Context& context)
        : Network(context)
        , m_words(&context.parameters.weight(context.model.vocabulary, context.model.hidden))
        , m_embedding_norm(context)
    {
        const ModelShape& model = context.model;
        context.parameters.makeUnits(0, model.layers,
                                     [&](std::int64_t i) { m_layers.emplace_back(context, i); });
        m_norm.emplace(context);
        m_transform.emplace(context, "dense", model.hidden, model.hidden, model.has_output_bias);
        m_head_norm.emplace(context);
        m_head =
            model.ties_head ? m_words : &context.parameters.weight(model.vocabulary, model.hidden);
        if (model.has_head_bias) {
            m_head_bias = &context.parameters.weight(1, model.vocabulary);
        }
    }

    Tensor forward(const Batch& batch) override
    {
        const Context& c = context();
        Tape& tape = c.tape;
        Tensor hidden;
        {
            const Tensor words = embedding(tape, m_words->tensor, batch.ids, c.model.hidden);
            hidden = dropped(c, m_embedding_norm(c, words), c.model.drops_embedding);
        }
        const std::int64_t tokens = c.run.sequence;
        const Tensor full_mask = maskOf(c, {false, false, true, tokens, tokens}, hidden.type);
        const Tensor sliding_mask = maskOf(c, {false, true, true, tokens, tokens}, hidden.type);
        const Rotation full = rotationOf(c, hidden.type);
        const Rotation sliding = rotationOf(c, hidden.type);
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            const bool slides = c.model.slides(static_cast<std::int64_t>(i));
            const auto layer = [this, i, mask = slides ? sliding_mask : full_mask,
                                rotation = slides ? sliding : full](const Tensor& x) {
                return m_layers[i](context(), x, rotation, mask);
            };
            hidden = throughLayer(static_cast<int>(i), layer, hidden);
        }
        hidden = (*m_norm)(c, hidden);
        hidden = (*m_transform)(c, hidden);
        hidden = activate(c, hidden);
        hidden = (*m_head_norm)(c, hidden);
        return lossOf(hidden, *m_head, m_head_bias != nullptr ? m_head_bias->tensor : Tensor(),
                      batch);
    }

private:
    Parameter* m_words;
    ScaledNorm m_embedding_norm;
    std::deque<ModernBertLayer> m_layers;
    std::optional<ScaledNorm> m_norm;
    std::optional<Linear> m_transform;
    std::optional<ScaledNorm> m_head_norm;
    Parameter* m_head = nullptr;
    Parameter* m_head_bias = nullptr;
};

} // namespace

std::unique_ptr<Network> makeModernBert(const Context& context)
{
    return std::make_unique<ModernBert>(context);
}

} // namespace tidemark::walk
