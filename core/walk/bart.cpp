// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/classic.h"
#include "core/walk/network.h"
#include "core/walk/operations.h"

#include <deque>
#include <optional>

namespace tidemark::walk {
namespace {

constexpr AttentionNames kBartNames{"q_proj", "k_proj", "v_proj", "out_proj"};
/// The tables of positions begin with rows for padding.
constexpr std::int64_t kPositionOffset = 2;

/// A residual with a norm behind it: x + f(x), normalised.
class Joined {
public:
    explicit Joined(const Context& context)
        : m_norm(context, context.model.hidden)
    {
    }
    Tensor operator()(const Context& context, const Tensor& residual, Tensor x) const
    {
        x = dropped(context, x, context.model.drops_hidden);
        return m_norm(context, add(context.tape, residual, x));
    }

private:
    LayerNorm m_norm;
};

/// BartEncoderLayer, or with cross attention BartDecoderLayer (modeling_bart.py).
class BartLayer {
public:
    BartLayer(const Context& context, bool decodes)
        : m_attention(context, kBartNames, context.model.hidden, true, true)
        , m_joined(context)
        , m_mlp(context, "fc1", "fc2",
                decodes ? context.model.decoder->feed_forward : context.model.feed_forward, true)
        , m_joined_mlp(context)
    {
        if (decodes) {
            m_cross.emplace(context, kBartNames, context.model.hidden, true, true);
            m_joined_cross.emplace(context);
        }
    }

    /// `encoded`: what cross attention looks at.
    Tensor operator()(const Context& context, const Tensor& x, const AttentionCall& self,
                      const Tensor& encoded, const AttentionCall& cross) const
    {
        Tensor hidden = m_joined(context, x, m_attention(context, x, x, self));
        if (m_cross) {
            hidden =
                (*m_joined_cross)(context, hidden, (*m_cross)(context, hidden, encoded, cross));
        }
        return m_joined_mlp(context, hidden, m_mlp(context, hidden));
    }

private:
    ClassicAttention m_attention;
    Joined m_joined;
    std::optional<ClassicAttention> m_cross;
    std::optional<Joined> m_joined_cross;
    ClassicMlp m_mlp;
    Joined m_joined_mlp;
};

/// Positions, embedding norm and layers of one half.
class Half {
public:
    Half(const Context& context, bool decodes)
        : m_decodes(decodes)
        , m_positions(&context.parameters.weight(context.model.positions + kPositionOffset,
                                                 context.model.hidden))
        , m_norm(context, context.model.hidden)
    {
        const std::int64_t first = decodes ? context.model.encoderLayers() : 0;
        const std::int64_t count =
            decodes ? context.model.decoder->layers : context.model.encoderLayers();
        context.parameters.makeUnits(
            first, count, [&](std::int64_t) { m_layers.emplace_back(context, decodes); });
    }

    Tensor embedded(const Context& context, const Parameter& words, const Tensor& ids) const
    {
        Tape& tape = context.tape;
        const ModelShape& model = context.model;
        Tensor hidden = scale(tape, embedding(tape, words.tensor, ids, model.hidden));
        {
            // In the encoder each sample has its own numbers.
            const std::int64_t rows =
                m_decodes ? context.run.targetSequence() : context.run.tokens();
            const Tensor numbers = tape.empty(rows, Dtype::int64);
            const Tensor positions = embedding(tape, m_positions->tensor, numbers, model.hidden);
            hidden = add(tape, hidden, positions);
        }
        hidden = m_norm(context, hidden);
        return dropped(context, hidden, model.drops_embedding);
    }
    [[nodiscard]] const std::deque<BartLayer>& layers() const
    {
        return m_layers;
    }

private:
    bool m_decodes;
    Parameter* m_positions;
    LayerNorm m_norm;
    std::deque<BartLayer> m_layers;
};

/// BartForConditionalGeneration.
class Bart final : public Network {
public:
    explicit Bart(const Context& context)
        : Network(context)
        , m_words(&context.parameters.weight(context.model.vocabulary, context.model.hidden))
        , m_encoder(context, false)
        , m_decoder(context, true)
        // A buffer, which is no parameter.
        , m_head_bias(context.tape.empty(context.model.vocabulary, m_words->type))
    {
        context.tape.recorder().label(m_head_bias.memory, label::Bucket::parameter);
    }

    Tensor forward(const Batch& batch) override
    {
        const Context& c = context();
        Tape& tape = c.tape;
        const ModelShape& model = c.model;
        const std::int64_t sources = c.run.sequence;
        const std::int64_t targets = c.run.targetSequence();
        const Tensor shifted = tape.emptyLike(batch.labels);
        const auto callOf = [&](std::int64_t queries, std::int64_t keys, std::int64_t heads,
                                bool is_causal, Tensor mask) {
            const AttentionSize size{c.run.batch, queries, keys,
                                     heads,       heads,   model.hidden / heads};
            return AttentionCall{size, std::move(mask), model.drops_attention, is_causal, false};
        };
        const Tensor source_mask = maskOf(c, {false, false, true, sources, sources}, m_words->type);
        const AttentionCall encodes = callOf(sources, sources, model.heads, false, source_mask);
        Tensor encoded = m_encoder.embedded(c, *m_words, batch.ids);
        encoded = throughLayers(0, m_encoder.layers(), std::move(encoded),
                                [&c, encodes](const BartLayer& layer, const Tensor& x) {
                                    return layer(c, x, encodes, {}, {});
                                });
        const std::int64_t heads = model.decoder->heads;
        const AttentionCall self =
            callOf(targets, targets, heads, true,
                   maskOf(c, {true, false, false, targets, targets}, m_words->type));
        const AttentionCall cross =
            callOf(targets, sources, heads, false,
                   maskOf(c, {false, false, true, targets, sources}, m_words->type));
        Tensor hidden = m_decoder.embedded(c, *m_words, shifted);
        hidden = throughLayers(model.encoderLayers(), m_decoder.layers(), std::move(hidden),
                               [&c, self, cross, encoded](const BartLayer& layer, const Tensor& x) {
                                   return layer(c, x, self, encoded, cross);
                               });
        return lossOf(hidden, *m_words, m_head_bias, batch);
    }

private:
    Parameter* m_words;
    Half m_encoder;
    Half m_decoder;
    Tensor m_head_bias;
};

} // namespace

std::unique_ptr<Network> makeBart(const Context& context)
{
    return std::make_unique<Bart>(context);
}

} // namespace tidemark::walk
