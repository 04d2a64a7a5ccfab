// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/classic.h"
#include "core/walk/network.h"
#include "core/walk/operations.h"

#include <deque>
#include <optional>

namespace tidemark::walk {
namespace {

constexpr AttentionNames kOptNames{"q_proj", "k_proj", "v_proj", "out_proj"};

/// OPTDecoderLayer of modeling_opt.py: norms in front, or (350m) behind the additions.
class OptLayer {
public:
    explicit OptLayer(const Context& context)
        : m_attention(context, kOptNames, context.model.hidden, context.model.has_query_bias,
                      context.model.has_query_bias)
        , m_attention_norm(context, context.model.hidden)
        , m_mlp(context, "fc1", "fc2", context.model.feed_forward, context.model.has_query_bias)
        , m_norm(context, context.model.hidden)
    {
    }

    Tensor operator()(const Context& context, const Tensor& x, const Tensor& mask) const
    {
        const AttentionCall call{selfAttentionSize(context), mask, context.model.drops_attention};
        const bool closes = context.model.closes_branches;
        Tensor hidden = closes ? x : m_attention_norm(context, x);
        hidden = added(context, x, m_attention(context, hidden, hidden, call));
        hidden = closes ? m_attention_norm(context, hidden) : hidden;
        const Tensor residual = hidden;
        hidden = closes ? residual : m_norm(context, residual);
        hidden = added(context, residual, m_mlp(context, hidden));
        return closes ? m_norm(context, hidden) : hidden;
    }

private:
    static Tensor added(const Context& context, const Tensor& residual, Tensor x)
    {
        x = dropped(context, x, context.model.drops_hidden);
        return add(context.tape, residual, x);
    }

    ClassicAttention m_attention;
    LayerNorm m_attention_norm;
    ClassicMlp m_mlp;
    LayerNorm m_norm;
};

/// OPTForCausalLM.
class Opt final : public Network {
public:
    explicit Opt(const Context& context)
        : Network(context)
    {
        const ModelShape& model = context.model;
        const auto words = [&] {
            return &context.parameters.weight(model.vocabulary, model.wordWidth());
        };
        m_words = words();
        m_positions =
            &context.parameters.weight(model.positions + model.position_offset, model.hidden);
        if (model.embedding_width > 0) {
            m_project_out.emplace(context, "project_out", model.hidden, model.embedding_width,
                                  false);
            m_project_in.emplace(context, "project_in", model.embedding_width, model.hidden, false);
        }
        if (!model.closes_branches) {
            m_norm.emplace(context, model.hidden);
        }
        context.parameters.makeUnits(0, model.layers,
                                     [&](std::int64_t) { m_layers.emplace_back(context); });
        m_head = model.ties_head ? m_words : words();
    }

    Tensor forward(const Batch& batch) override
    {
        const Context& c = context();
        Tape& tape = c.tape;
        Tensor hidden = embedding(tape, m_words->tensor, batch.ids, c.model.wordWidth());
        // Positions follow from the mask: of each sample its own.
        const Tensor places = tape.empty(c.run.tokens(), Dtype::int64);
        const Tensor mask =
            maskOf(c, {true, false, true, c.run.sequence, c.run.sequence}, hidden.type);
        {
            const Tensor moved = tape.emptyLike(places);
            const Tensor positions = embedding(tape, m_positions->tensor, moved, c.model.hidden);
            hidden = m_project_in ? (*m_project_in)(c, hidden) : hidden;
            hidden = add(tape, hidden, positions);
        }
        hidden = throughLayers(
            0, m_layers, std::move(hidden),
            [&c, mask](const OptLayer& layer, const Tensor& x) { return layer(c, x, mask); });
        hidden = m_norm ? (*m_norm)(c, hidden) : hidden;
        hidden = m_project_out ? (*m_project_out)(c, hidden) : hidden;
        return lossOf(hidden, *m_head, {}, batch);
    }

private:
    Parameter* m_words = nullptr;
    Parameter* m_positions = nullptr;
    std::optional<Linear> m_project_out;
    std::optional<Linear> m_project_in;
    std::deque<OptLayer> m_layers;
    std::optional<LayerNorm> m_norm;
    Parameter* m_head = nullptr;
};

} // namespace

std::unique_ptr<Network> makeOpt(const Context& context)
{
    return std::make_unique<Opt>(context);
}

} // namespace tidemark::walk
