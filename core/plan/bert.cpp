// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/network.h"
#include "core/plan/operations.h"

#include <deque>
#include <optional>

namespace tidemark::plan {
namespace {

/// BertLayer of modeling_bert.py: the norms come behind the additions.
class Layer {
public:
    explicit Layer(const Context& context)
        : m_query(context, "query", context.model.hidden, context.model.hidden, true)
        , m_key(context, "key", context.model.hidden, context.model.hidden, true)
        , m_value(context, "value", context.model.hidden, context.model.hidden, true)
        , m_out(context, "dense", context.model.hidden, context.model.hidden, true)
        , m_attention_norm(context, context.model.hidden)
        , m_up(context, "dense", context.model.hidden, context.model.feed_forward, true)
        , m_down(context, "dense", context.model.feed_forward, context.model.hidden, true)
        , m_norm(context, context.model.hidden)
    {
    }

    Tensor operator()(const Context& context, const Tensor& x, const Tensor& mask) const
    {
        Tape& tape = context.tape;
        Tensor attended = attention(context, x, mask);
        attended = m_out(context, attended);
        attended = dropped(context, attended, context.model.drops_hidden);
        attended = m_attention_norm(context, add(tape, attended, x));
        Tensor hidden = m_up(context, attended);
        hidden = activate(context, hidden);
        hidden = m_down(context, hidden);
        hidden = dropped(context, hidden, context.model.drops_hidden);
        return m_norm(context, add(tape, hidden, attended));
    }

private:
    Tensor attention(const Context& context, const Tensor& x, const Tensor& mask) const
    {
        Tape& tape = context.tape;
        const Tensor q = splitHeads(tape, m_query(context, x));
        const Tensor k = splitHeads(tape, m_key(context, x));
        const Tensor v = splitHeads(tape, m_value(context, x));
        return attend(context, q, k, v, {mask, context.model.drops_attention, false});
    }

    Linear m_query;
    Linear m_key;
    Linear m_value;
    Linear m_out;
    LayerNorm m_attention_norm;
    Linear m_up;
    Linear m_down;
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
        for (int i = 0; i < context.model.layers; ++i) {
            context.parameters.beginUnit(i);
            m_layers.emplace_back(context);
        }
        context.parameters.beginUnit(-1);
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
        const Tensor mask = maskOf(c, false, hidden.type);
        for (int i = 0; i < c.model.layers; ++i) {
            const auto layer = [this, i, mask](const Tensor& x) {
                return m_layers[static_cast<std::size_t>(i)](context(), x, mask);
            };
            hidden = throughLayer(i, layer, hidden);
        }
        Tensor predicted = (*m_transform)(c, hidden);
        predicted = activate(c, predicted);
        predicted = (*m_head_norm)(c, predicted);
        return lossOf(predicted, *m_head, m_head_bias, batch);
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
