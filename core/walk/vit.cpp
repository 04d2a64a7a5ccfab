// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/classic.h"
#include "core/walk/network.h"
#include "core/walk/operations.h"

#include <deque>

namespace tidemark::walk {
namespace {

constexpr AttentionNames kVitNames{"q_proj", "k_proj", "v_proj", "o_proj"};

/// ViTLayer (modeling_vit.py of transformers 5.24): norms in front, two residuals.
class VitLayer {
public:
    explicit VitLayer(const Context& context)
        : m_attention(context, kVitNames, context.model.hidden, context.model.has_query_bias, true)
        , m_before(context, context.model.hidden)
        , m_after(context, context.model.hidden)
        , m_mlp(context, "fc1", "fc2", context.model.feed_forward, true)
    {
    }

    Tensor operator()(const Context& context, const Tensor& x) const
    {
        Tensor hidden = m_before(context, x);
        const AttentionCall call{
            selfAttentionSize(context), {}, context.model.drops_attention, false};
        hidden = m_attention(context, hidden, hidden, call);
        const Tensor residual = joined(context, x, hidden);
        hidden = m_after(context, residual);
        hidden = m_mlp(context, hidden);
        return joined(context, residual, hidden);
    }

private:
    static Tensor joined(const Context& context, const Tensor& residual, const Tensor& x)
    {
        return add(context.tape, dropped(context, x, context.model.drops_hidden), residual);
    }

    ClassicAttention m_attention;
    LayerNorm m_before;
    LayerNorm m_after;
    ClassicMlp m_mlp;
};

/// ViTForImageClassification.
class Vit final : public Network {
public:
    explicit Vit(const Context& context)
        : Network(context)
        , m_class(&context.parameters.weight(1, context.model.hidden))
        , m_positions(
              &context.parameters.weight(context.model.images->tokens(), context.model.hidden))
        , m_patches(&context.parameters.weight(context.model.hidden,
                                               context.model.images->channels
                                                   * context.model.images->patch
                                                   * context.model.images->patch))
        , m_patch_bias(&context.parameters.weight(1, context.model.hidden))
    {
        context.parameters.makeUnits(0, context.model.layers,
                                     [&](std::int64_t) { m_layers.emplace_back(context); });
        m_norm.emplace(context, context.model.hidden);
        m_head.emplace(context, "classifier", context.model.hidden, context.model.images->labels,
                       true);
    }

    Tensor forward(const Batch& batch) override
    {
        const Context& c = context();
        Tape& tape = c.tape;
        Tensor hidden = embedded(batch.ids);
        hidden =
            throughLayers(0, m_layers, std::move(hidden),
                          [&c](const VitLayer& layer, const Tensor& x) { return layer(c, x); });
        hidden = (*m_norm)(c, hidden);
        // The class token of each image.
        const Tensor rows = slice(tape, hidden, c.run.batch * c.model.hidden);
        const Tensor logits = (*m_head)(c, contiguous(tape, rows));
        if (c.run.mode == Mode::inference) {
            return {};
        }
        return languageLoss(c, logits, batch.labels);
    }

private:
    Tensor embedded(const Tensor& pixels)
    {
        const Context& c = context();
        Tape& tape = c.tape;
        const std::int64_t images = c.run.batch;
        const std::int64_t patches = c.model.images->tokens() - 1;
        Tensor joined;
        {
            const Tensor typed = cast(tape, pixels, m_patches->type);
            // A convolution whose windows do not overlap: each patch's pixels by one matrix.
            const Tensor made = linear(tape, typed, m_patches->tensor,
                                       images * patches * c.model.hidden, m_patch_bias->tensor);
            Tensor first = view(tape, m_class->tensor, m_class->elements(), true);
            first.elements = images * c.model.hidden; // Expanded to all images.
            joined = concatenate(tape, {first, made});
        }
        const Tensor hidden = add(tape, joined, m_positions->tensor);
        return dropped(c, hidden, c.model.drops_hidden);
    }

    Parameter* m_class;
    Parameter* m_positions;
    Parameter* m_patches;
    Parameter* m_patch_bias;
    std::deque<VitLayer> m_layers;
    std::optional<LayerNorm> m_norm;
    std::optional<Linear> m_head;
};

} // namespace

std::unique_ptr<Network> makeVit(const Context& context)
{
    return std::make_unique<Vit>(context);
}

} // namespace tidemark::walk
