// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/classic.h"
#include "core/walk/network.h"
#include "core/walk/operations.h"

#include <deque>
#include <optional>

namespace tidemark::walk {
namespace {

constexpr AttentionNames kT5Names{"q", "k", "v", "o"};

/// T5LayerNorm: the variance is computed in 32 bits, and the input is scaled as it is.
class ScaleNorm {
public:
    explicit ScaleNorm(const Context& context)
        : m_width(context.model.hidden)
        , m_weight(&context.parameters.weight(1, context.model.hidden))
    {
    }
    Tensor operator()(const Context& context, const Tensor& x) const
    {
        Tape& tape = context.tape;
        const std::int64_t rows = x.elements / m_width;
        const Tensor variance = meanOfRows(tape, power(tape, cast(tape, x, Dtype::fp32)), rows);
        Tensor made = multiply(tape, x, reciprocalRoot(tape, shift(tape, variance)));
        if (m_weight->type == Dtype::bf16) {
            made = cast(tape, made, Dtype::bf16);
        }
        return multiply(tape, m_weight->tensor, made);
    }

private:
    std::int64_t m_width;
    Parameter* m_weight;
};

/// T5DenseActDense, or T5DenseGatedActDense.
class T5FeedForward {
public:
    T5FeedForward(const Context& context, std::int64_t width)
        : m_in(context, context.model.is_gated ? "wi_0" : "wi", context.model.hidden, width, false)
        , m_out(context, "wo", width, context.model.hidden, false)
        , m_type(context.run.hasNarrowWeights() ? Dtype::bf16 : Dtype::fp32)
    {
        if (context.model.is_gated) {
            m_gate.emplace(context, "wi_1", context.model.hidden, width, false);
        }
    }
    Tensor operator()(const Context& context, const Tensor& x) const
    {
        Tensor hidden = activate(context, m_in(context, x));
        if (m_gate) {
            const Tensor linear = (*m_gate)(context, x);
            hidden = multiply(context.tape, hidden, linear);
        }
        hidden = dropped(context, hidden, context.model.drops_inner);
        hidden = cast(context.tape, hidden, m_type); // To the type of wo's weight.
        return m_out(context, hidden);
    }

private:
    Linear m_in;
    std::optional<Linear> m_gate;
    Linear m_out;
    Dtype m_type;
};

/// T5Block (modeling_t5.py of transformers 5.24).
class T5Block {
public:
    T5Block(const Context& context, bool decodes, std::int64_t heads, std::int64_t inner)
        : m_self(context, kT5Names, heads * context.model.head_width, false, false)
        , m_self_norm(context)
        , m_mlp(context, inner)
        , m_mlp_norm(context)
    {
        if (decodes) {
            m_cross.emplace(context, kT5Names, heads * context.model.head_width, false, false);
            m_cross_norm.emplace(context);
        }
    }

    Tensor operator()(const Context& context, const Tensor& x, const AttentionCall& self,
                      const Tensor& encoded, const AttentionCall& cross) const
    {
        Tensor normed = m_self_norm(context, x);
        Tensor hidden = joined(context, x, m_self(context, normed, normed, self));
        if (m_cross) {
            normed = (*m_cross_norm)(context, hidden);
            hidden = joined(context, hidden, (*m_cross)(context, normed, encoded, cross));
        }
        normed = m_mlp_norm(context, hidden);
        return joined(context, hidden, m_mlp(context, normed));
    }

private:
    static Tensor joined(const Context& context, const Tensor& residual, const Tensor& x)
    {
        return add(context.tape, residual, dropped(context, x, context.model.drops_hidden));
    }

    ClassicAttention m_self;
    ScaleNorm m_self_norm;
    std::optional<ClassicAttention> m_cross;
    std::optional<ScaleNorm> m_cross_norm;
    T5FeedForward m_mlp;
    ScaleNorm m_mlp_norm;
};

/// T5Stack.
class Stack {
public:
    Stack(const Context& context, bool decodes)
        : m_heads(context.model.heads)
        , m_distances(&context.parameters.weight(context.model.distance_buckets, m_heads))
    {
        const ModelShape& model = context.model;
        const std::int64_t first = decodes ? model.encoderLayers() : 0;
        const std::int64_t count = decodes ? model.decoder->layers : model.encoderLayers();
        context.parameters.makeUnits(first, count, [&](std::int64_t) {
            m_blocks.emplace_back(context, decodes, m_heads, model.feed_forward);
        });
        m_norm.emplace(context);
    }

    /// compute_bias: a number per head and pair of positions, in the order of the positions.
    [[nodiscard]] Tensor bias(const Context& context, std::int64_t tokens) const
    {
        Tape& tape = context.tape;
        Tensor buckets;
        {
            // _relative_position_bucket works on the numbers of all pairs.
            const Tensor distances = tape.empty(tokens * tokens, Dtype::int64);
            const Tensor logarithms = tape.empty(tokens * tokens, Dtype::fp32);
            const Tensor large = tape.empty(tokens * tokens, Dtype::int64);
            buckets = tape.empty(tokens * tokens, Dtype::int64);
        }
        Tensor made = embedding(tape, m_distances->tensor, buckets, m_heads);
        return view(tape, made, made.elements, false);
    }
    [[nodiscard]] const std::deque<T5Block>& blocks() const
    {
        return m_blocks;
    }
    [[nodiscard]] Tensor closed(const Context& context, const Tensor& x) const
    {
        return dropped(context, (*m_norm)(context, x), context.model.drops_hidden);
    }

private:
    std::int64_t m_heads;
    Parameter* m_distances;
    std::deque<T5Block> m_blocks;
    std::optional<ScaleNorm> m_norm;
};

/// T5ForConditionalGeneration.
class T5 final : public Network {
public:
    explicit T5(const Context& context)
        : Network(context)
        , m_words(&context.parameters.weight(context.model.vocabulary, context.model.hidden))
        , m_encoder(context, false)
        , m_decoder(context, true)
    {
    }

    Tensor forward(const Batch& batch) override
    {
        const Context& c = context();
        Tape& tape = c.tape;
        const ModelShape& model = c.model;
        const std::int64_t sources = c.run.sequence;
        const std::int64_t targets = c.run.targetSequence();
        const Tensor shifted = tape.emptyLike(batch.labels);
        const auto words = [&](const Tensor& ids) {
            return dropped(c, embedding(tape, m_words->tensor, ids, model.hidden),
                           model.drops_hidden);
        };
        Tensor encoded = words(batch.ids);
        const AttentionCall encodes = callOf(
            sources, sources, maskOf(c, {false, false, true, sources, sources}, encoded.type),
            m_encoder.bias(c, sources), false);
        encoded = throughLayers(0, m_encoder.blocks(), std::move(encoded),
                                [&c, encodes](const T5Block& block, const Tensor& x) {
                                    return block(c, x, encodes, {}, {});
                                });
        encoded = m_encoder.closed(c, encoded);
        Tensor hidden = words(shifted);
        const AttentionCall self =
            callOf(targets, targets, maskOf(c, {true, false, false, targets, targets}, hidden.type),
                   m_decoder.bias(c, targets), true);
        const AttentionCall cross =
            callOf(targets, sources, maskOf(c, {false, false, true, targets, sources}, hidden.type),
                   tape.empty(model.heads * targets * sources, hidden.type), false);
        hidden = throughLayers(model.encoderLayers(), m_decoder.blocks(), std::move(hidden),
                               [&c, self, cross, encoded](const T5Block& block, const Tensor& x) {
                                   return block(c, x, self, encoded, cross);
                               });
        hidden = m_decoder.closed(c, hidden);
        if (model.scales_head) {
            hidden = scale(tape, hidden);
        }
        return lossOf(hidden, *m_words, {}, batch);
    }

private:
    [[nodiscard]] AttentionCall callOf(std::int64_t queries, std::int64_t keys, Tensor mask,
                                       Tensor bias, bool is_causal) const
    {
        const ModelShape& model = context().model;
        const AttentionSize size{context().run.batch, queries,     keys,
                                 model.heads,         model.heads, model.head_width};
        AttentionCall call{size, std::move(mask), model.drops_attention, is_causal, false};
        call.bias = std::move(bias);
        return call;
    }

    Parameter* m_words;
    Stack m_encoder;
    Stack m_decoder;
};

} // namespace

std::unique_ptr<Network> makeT5(const Context& context)
{
    return std::make_unique<T5>(context);
}

} // namespace tidemark::walk
