// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/classic.h"
#include "core/walk/network.h"
#include "core/walk/operations.h"

#include <deque>
#include <optional>

namespace tidemark::walk {
namespace {

/// GPT2Block of modeling_gpt2.py.
class Gpt2Block {
public:
    explicit Gpt2Block(const Context& context)
        : m_before_attention(context, context.model.hidden)
        , m_projections(context, "c_attn", context.model.hidden, 3 * context.model.hidden, true)
        , m_out(context, "c_proj", context.model.hidden, context.model.hidden, true)
        , m_before_mlp(context, context.model.hidden)
        , m_mlp(context, "c_fc", "c_proj", context.model.feed_forward, true)
    {
    }

    Tensor operator()(const Context& context, const Tensor& x, const Tensor& mask) const
    {
        Tape& tape = context.tape;
        Tensor residual = x;
        Tensor hidden = m_before_attention(context, residual);
        hidden = attention(context, hidden, mask);
        hidden = add(tape, hidden, residual);
        residual = hidden;
        hidden = m_before_mlp(context, residual);
        hidden = m_mlp(context, hidden);
        hidden = dropped(context, hidden, context.model.drops_hidden);
        return add(tape, residual, hidden);
    }

private:
    Tensor attention(const Context& context, const Tensor& x, const Tensor& mask) const
    {
        Tape& tape = context.tape;
        const Tensor joint = m_projections(context, x);
        const std::vector<Tensor> parts = split(tape, joint, {x.elements, x.elements, x.elements});
        const Tensor k = splitHeads(tape, parts[1]);
        const Tensor v = splitHeads(tape, parts[2]);
        const Tensor q = splitHeads(tape, parts[0]);
        Tensor out =
            attend(context, q, k, v,
                   {selfAttentionSize(context), mask, context.model.drops_attention, true, false});
        out = m_out(context, out);
        return dropped(context, out, context.model.drops_hidden);
    }

    LayerNorm m_before_attention;
    Linear m_projections;
    Linear m_out;
    LayerNorm m_before_mlp;
    ClassicMlp m_mlp;
};

/// GPT2LMHeadModel.
class Gpt2 final : public Network {
public:
    explicit Gpt2(const Context& context)
        : Network(context)
        , m_tokens(&context.parameters.weight(context.model.vocabulary, context.model.hidden))
        , m_positions(&context.parameters.weight(context.model.positions, context.model.hidden))
    {
        context.parameters.makeUnits(0, context.model.layers,
                                     [&](std::int64_t) { m_blocks.emplace_back(context); });
        m_norm.emplace(context, context.model.hidden);
        m_head = context.model.ties_head
            ? m_tokens
            : &context.parameters.weight(context.model.vocabulary, context.model.hidden);
    }

    Tensor forward(const Batch& batch) override
    {
        const Context& c = context();
        Tape& tape = c.tape;
        const Tensor embedded = embedding(tape, m_tokens->tensor, batch.ids, c.model.hidden);
        const Tensor places = tape.empty(c.run.sequence, Dtype::int64);
        const Tensor positions = embedding(tape, m_positions->tensor, places, c.model.hidden);
        Tensor hidden = add(tape, embedded, positions);
        const Tensor mask =
            maskOf(c, {true, false, true, c.run.sequence, c.run.sequence}, embedded.type);
        hidden = dropped(c, hidden, c.model.drops_embedding);
        hidden = throughLayers(
            0, m_blocks, std::move(hidden),
            [&c, mask](const Gpt2Block& block, const Tensor& x) { return block(c, x, mask); });
        hidden = (*m_norm)(c, hidden);
        return lossOf(hidden, *m_head, {}, batch);
    }

private:
    Parameter* m_tokens;
    Parameter* m_positions;
    std::deque<Gpt2Block> m_blocks;
    std::optional<LayerNorm> m_norm;
    Parameter* m_head = nullptr;
};

} // namespace

std::unique_ptr<Network> makeGpt2(const Context& context)
{
    return std::make_unique<Gpt2>(context);
}

} // namespace tidemark::walk
