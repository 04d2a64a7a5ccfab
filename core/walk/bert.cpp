// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/classic.h"
#include "core/walk/network.h"
#include "core/walk/operations.h"

#include <deque>
#include <optional>

namespace tidemark::walk {
namespace {

constexpr AttentionNames kBertNames{"query", "key", "value", "dense"};
constexpr AttentionNames kDistilNames{"q_lin", "k_lin", "v_lin", "out_lin"};

bool isDistil(const Context& context)
{
    return context.model.model_type == "distilbert";
}

/// BertLayer of modeling_bert.py, or DistilBERT's TransformerBlock: the norms come behind the
/// additions.
class BertLayer {
public:
    explicit BertLayer(const Context& context)
        : m_attention(context, isDistil(context) ? kDistilNames : kBertNames, context.model.hidden,
                      true, true)
        , m_attention_norm(context, context.model.hidden)
        , m_mlp(context, isDistil(context) ? "lin1" : "dense", isDistil(context) ? "lin2" : "dense",
                context.model.feed_forward, true)
        , m_norm(context, context.model.hidden)
    {
    }

    Tensor operator()(const Context& context, const Tensor& x, const Tensor& mask) const
    {
        const AttentionCall call{selfAttentionSize(context), mask, context.model.drops_attention,
                                 false, false};
        const ModelShape& model = context.model;
        const Tensor attended = m_attention_norm(
            context, joined(context, m_attention(context, x, x, call), x, model.drops_attended));
        return m_norm(context,
                      joined(context, m_mlp(context, attended), attended, model.drops_hidden));
    }

private:
    static Tensor joined(const Context& context, const Tensor& x, const Tensor& residual,
                         bool drops)
    {
        return add(context.tape, dropped(context, x, drops), residual);
    }

    ClassicAttention m_attention;
    LayerNorm m_attention_norm;
    ClassicMlp m_mlp;
    LayerNorm m_norm;
};

/// BertForMaskedLM and those of RoBERTa, XLM-RoBERTa, CamemBERT, DistilBERT and ELECTRA.
class Bert final : public Network {
public:
    explicit Bert(const Context& context)
        : Network(context)
        , m_words(&context.parameters.weight(context.model.vocabulary, context.model.wordWidth()))
        , m_positions(&context.parameters.weight(
              context.model.positions + context.model.position_offset, context.model.wordWidth()))
    {
        const ModelShape& model = context.model;
        const std::int64_t width = model.wordWidth();
        if (model.token_types > 0) {
            m_types = &context.parameters.weight(model.token_types, width);
        }
        m_embedding_norm.emplace(context, width);
        if (model.embedding_width > 0) {
            m_project.emplace(context, "embeddings_project", width, model.hidden, true);
        }
        context.parameters.makeUnits(0, model.layers,
                                     [&](std::int64_t) { m_layers.emplace_back(context); });
        m_transform.emplace(context, isDistil(context) ? "vocab_transform" : "dense", model.hidden,
                            width, true);
        m_head_norm.emplace(context, width);
        m_head = model.ties_head ? m_words : &context.parameters.weight(model.vocabulary, width);
        m_head_bias = &context.parameters.weight(1, model.vocabulary);
    }

    Tensor forward(const Batch& batch) override
    {
        const Context& c = context();
        Tensor hidden = embedded(batch);
        const Tensor mask =
            maskOf(c, {false, false, true, c.run.sequence, c.run.sequence}, hidden.type);
        hidden = throughLayers(
            0, m_layers, std::move(hidden),
            [&c, mask](const BertLayer& layer, const Tensor& x) { return layer(c, x, mask); });
        Tensor predicted = (*m_transform)(c, hidden);
        predicted = activate(c, predicted);
        predicted = (*m_head_norm)(c, predicted);
        return lossOf(predicted, *m_head, m_head_bias->tensor, batch);
    }

private:
    Tensor embedded(const Batch& batch)
    {
        const Context& c = context();
        Tape& tape = c.tape;
        const std::int64_t width = c.model.wordWidth();
        // RoBERTa counts the tokens that are none of padding, and looks their types up.
        const std::int64_t places_count =
            c.model.counts_positions ? c.run.tokens() : c.run.sequence;
        const Tensor places = tape.empty(places_count, Dtype::int64);
        Tensor hidden = embedding(tape, m_words->tensor, batch.ids, width);
        if (m_types != nullptr) {
            Tensor kinds = tape.emptyLike(places);
            kinds.elements = c.run.tokens(); // Expanded to all samples.
            hidden = add(tape, hidden, embedding(tape, m_types->tensor, kinds, width));
        }
        hidden = add(tape, hidden, embedding(tape, m_positions->tensor, places, width));
        hidden = (*m_embedding_norm)(c, hidden);
        hidden = dropped(c, hidden, c.model.drops_embedding);
        return m_project ? (*m_project)(c, hidden) : hidden;
    }

    Parameter* m_words;
    Parameter* m_positions;
    Parameter* m_types = nullptr;
    std::optional<LayerNorm> m_embedding_norm;
    std::optional<Linear> m_project;
    std::deque<BertLayer> m_layers;
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

} // namespace tidemark::walk
