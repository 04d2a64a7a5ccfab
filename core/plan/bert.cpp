// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/classic.h"
#include "core/plan/network.h"
#include "core/plan/operations.h"

#include <deque>
#include <optional>

namespace tidemark::plan {
namespace {

constexpr AttentionNames kNames{"query", "key", "value", "dense"};

/// BertLayer of modeling_bert.py: the norms come behind the additions.
class Layer {
public:
    explicit Layer(const Context& context)
        : m_attention(context, kNames, context.model.hidden, true, true)
        , m_attention_norm(context, context.model.hidden)
        , m_mlp(context, "dense", "dense", context.model.feed_forward, true)
        , m_norm(context, context.model.hidden)
    {
    }

    Tensor operator()(const Context& context, const Tensor& x, const Tensor& mask) const
    {
        const AttentionCall call{selfAttentionSize(context), mask, context.model.drops_attention,
                                 false, false};
        const Tensor attended =
            m_attention_norm(context, joined(context, m_attention(context, x, x, call), x));
        return m_norm(context, joined(context, m_mlp(context, attended), attended));
    }

private:
    static Tensor joined(const Context& context, const Tensor& x, const Tensor& residual)
    {
        return add(context.tape, dropped(context, x, context.model.drops_hidden), residual);
    }

    ClassicAttention m_attention;
    LayerNorm m_attention_norm;
    ClassicMlp m_mlp;
    LayerNorm m_norm;
};

/// BertForMaskedLM.
class Bert final : public Network {
public:
    explicit Bert(const Context& context)
        : Network(context)
        , m_words(&context.parameters.weight(context.model.vocabulary, context.model.hidden))
        , m_positions(&context.parameters.weight(context.model.positions, context.model.hidden))
        , m_types(&context.parameters.weight(context.model.token_types, context.model.hidden))
        , m_embedding_norm(context, context.model.hidden)
    {
        context.parameters.makeUnits(0, context.model.layers,
                                     [&](std::int64_t) { m_layers.emplace_back(context); });
        m_transform.emplace(context, "dense", context.model.hidden, context.model.hidden, true);
        m_head_norm.emplace(context, context.model.hidden);
        m_head = context.model.ties_head
            ? m_words
            : &context.parameters.weight(context.model.vocabulary, context.model.hidden);
        m_head_bias = &context.parameters.weight(1, context.model.vocabulary);
    }

    Tensor forward(const Batch& batch) override
    {
        const Context& c = context();
        Tape& tape = c.tape;
        Tensor hidden;
        {
            const Tensor words = embedding(tape, m_words->tensor, batch.ids, c.model.hidden);
            const Tensor kinds = tape.empty(c.run.sequence, Dtype::int64);
            Tensor every_kind = kinds;
            every_kind.elements = c.run.tokens(); // Expanded to all samples.
            const Tensor types = embedding(tape, m_types->tensor, every_kind, c.model.hidden);
            hidden = add(tape, words, types);
            const Tensor positions = embedding(tape, m_positions->tensor, kinds, c.model.hidden);
            hidden = add(tape, hidden, positions);
            hidden = m_embedding_norm(c, hidden);
            hidden = dropped(c, hidden, c.model.drops_embedding);
        }
        const Tensor mask =
            maskOf(c, {false, false, true, c.run.sequence, c.run.sequence}, hidden.type);
        hidden = throughLayers(
            0, m_layers, std::move(hidden),
            [&c, mask](const Layer& layer, const Tensor& x) { return layer(c, x, mask); });
        Tensor predicted = (*m_transform)(c, hidden);
        predicted = activate(c, predicted);
        predicted = (*m_head_norm)(c, predicted);
        return lossOf(predicted, *m_head, m_head_bias->tensor, batch);
    }

private:
    Parameter* m_words;
    Parameter* m_positions;
    Parameter* m_types;
    LayerNorm m_embedding_norm;
    std::deque<Layer> m_layers;
    std::optional<Linear> m_transform;
    std::optional<LayerNorm> m_head_norm;
    Parameter* m_head = nullptr;
    Parameter* m_head_bias = nullptr;
};

} // namespace

std::unique_ptr<Network> makeBert(const Context& context)
{
    return std::make_unique<Bert>(context);
}

} // namespace tidemark::plan
