// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/classic.h"
#include "core/walk/collectives.h"
#include "core/walk/experts.h"
#include "core/walk/network.h"
#include "core/walk/norm.h"
#include "core/walk/operations.h"

#include <algorithm>
#include <deque>
#include <optional>

namespace tidemark::walk {
namespace {

constexpr std::string_view kAttention = "self_attn";
constexpr std::string_view kEmbedding = "embed_tokens (Embedding)";

/// LlamaAttention, with what other families add to it.
class SelfAttention {
public:
    explicit SelfAttention(const Context& context)
    {
        const ModelShape& model = context.model;
        const InModule made(context.tape.recorder(), kAttention);
        const std::int64_t q = model.queryWidth();
        const std::int64_t k = model.keyWidth();
        if (model.joint != Joint::none) {
            m_query.emplace(context, model.names.joint, model.hidden, q + 2 * k,
                            model.has_query_bias);
        } else {
            m_query.emplace(context, "q_proj", model.hidden, q, model.has_query_bias);
            m_key.emplace(context, "k_proj", model.hidden, k, model.has_query_bias);
            m_value.emplace(context, "v_proj", model.hidden, k, model.has_query_bias);
        }
        if (model.has_head_norms) {
            const bool is_shared = model.norm != NormKind::centered;
            m_query_norm.emplace(context, model.head_width, is_shared ? 1 : model.heads);
            m_key_norm.emplace(context, model.head_width, is_shared ? 1 : model.key_heads);
        } else if (model.has_row_norms) {
            m_query_norm.emplace(context, q);
            m_key_norm.emplace(context, k);
        }
        m_out.emplace(context, model.names.out, q, model.hidden, model.has_output_bias);
    }

    /// `rotation` null: the layer has no positions.
    Tensor operator()(const Context& context, const Tensor& x, const Rotation* rotation,
                      const Tensor& mask) const
    {
        Tape& tape = context.tape;
        const InModule running(tape.recorder(), kAttention);
        Tensor q;
        Tensor k;
        Tensor v;
        Tensor joint;
        if (m_key) {
            q = headsOf(context, *m_query, m_query_norm, x);
            k = headsOf(context, *m_key, m_key_norm, x);
            v = splitHeads(tape, (*m_value)(context, x));
        } else if (context.model.joint == Joint::heads) {
            // One view by head, then a part of each: chunk, whose backward joins the gradients.
            joint = splitHeads(tape, (*m_query)(context, x));
            const std::int64_t part = joint.elements / 3;
            std::vector<Tensor> parts = split(tape, joint, {part, part, part});
            q = std::move(parts[0]);
            k = std::move(parts[1]);
            v = std::move(parts[2]);
        } else {
            joint = (*m_query)(context, x);
            const std::int64_t tokens = context.run.tokens();
            q = splitHeads(tape, slice(tape, joint, tokens * context.model.queryWidth()));
            k = splitHeads(tape, slice(tape, joint, tokens * context.model.keyWidth()));
            v = splitHeads(tape, slice(tape, joint, tokens * context.model.keyWidth()));
        }
        if (rotation != nullptr) {
            const Tensor turned_q = rotated(context, q, *rotation);
            const Tensor turned_k = rotated(context, k, *rotation);
            q = turned_q;
            k = turned_k;
        }
        const AttentionCall call{selfAttentionSize(context), mask, context.model.drops_attention};
        const Tensor out = attend(context, q, k, v, call);
        return (*m_out)(context, out);
    }

private:
    static Tensor headsOf(const Context& context, const Linear& projection,
                          const std::optional<Norm>& norm, const Tensor& x)
    {
        Tensor rows = projection(context, x);
        if (norm) {
            rows = (*norm)(context, view(context.tape, rows, rows.elements, true));
        }
        return splitHeads(context.tape, rows);
    }

    std::optional<Linear> m_query; ///< Or all three.
    std::optional<Linear> m_key;
    std::optional<Linear> m_value;
    std::optional<Norm> m_query_norm;
    std::optional<Norm> m_key_norm;
    std::optional<Linear> m_out;
};

/// A feed-forward with a gate or without one.
class DecoderFeedForward {
public:
    explicit DecoderFeedForward(const Context& context)
    {
        const ModelShape& model = context.model;
        if (model.is_gated) {
            m_gated.emplace(context, model.feed_forward);
        } else {
            m_plain.emplace(context, model.names.up, model.names.down, model.feed_forward,
                            model.has_mlp_bias);
        }
    }

    Tensor operator()(const Context& context, const Tensor& x) const
    {
        return m_gated ? (*m_gated)(context, x) : (*m_plain)(context, x);
    }

private:
    std::optional<GatedMlp> m_gated;
    std::optional<ClassicMlp> m_plain;
};

/// LlamaDecoderLayer and its kin (modeling_llama.py, modeling_gemma2.py, modeling_mixtral.py, …).
class DecoderLayer {
public:
    DecoderLayer(const Context& context, std::int64_t index)
        : m_attention(context)
    {
        const ModelShape& model = context.model;
        if (model.hasExperts(index)) {
            m_sparse.emplace(context);
        } else {
            m_mlp.emplace(context);
        }
        if (model.has_opening_norms) {
            m_before_attention.emplace(context, model.hidden);
            if (model.branches != Branches::parallel_shared) {
                m_before_mlp.emplace(context, model.hidden);
            }
        }
        if (model.has_closing_norms) {
            m_after_attention.emplace(context, model.hidden);
            m_after_mlp.emplace(context, model.hidden);
        }
    }

    Tensor operator()(const Context& context, const Tensor& x, const Rotation* rotation,
                      const Tensor& mask) const
    {
        if (context.model.branches != Branches::sequential) {
            return parallel(context, x, rotation, mask);
        }
        Tensor residual = x;
        Tensor hidden = normalized(context, m_before_attention, residual);
        hidden = enterParts(context, hidden);
        hidden = m_attention(context, hidden, rotation, mask);
        hidden = leaveParts(context, hidden);
        hidden = normalized(context, m_after_attention, hidden);
        hidden = added(context, residual, hidden, context.model.drops_attended);
        residual = hidden;
        hidden = normalized(context, m_before_mlp, residual);
        hidden = enterParts(context, hidden);
        hidden = m_sparse ? (*m_sparse)(context, hidden) : (*m_mlp)(context, hidden);
        hidden = leaveParts(context, hidden);
        hidden = normalized(context, m_after_mlp, hidden);
        return added(context, residual, hidden, context.model.drops_hidden);
    }

private:
    /// GPTNeoXLayer, PhiDecoderLayer, CohereDecoderLayer: the sum of both and the layer's input.
    Tensor parallel(const Context& context, const Tensor& x, const Rotation* rotation,
                    const Tensor& mask) const
    {
        const ModelShape& model = context.model;
        Tensor shared = normalized(context, m_before_attention, x);
        Tensor attended = m_attention(context, shared, rotation, mask);
        attended = dropped(context, attended, model.drops_attended);
        if (m_before_mlp) {
            shared = (*m_before_mlp)(context, x);
        }
        Tensor made = (*m_mlp)(context, shared);
        made = dropped(context, made, model.drops_hidden);
        made = add(context.tape, made, attended);
        return add(context.tape, made, x);
    }
    static Tensor normalized(const Context& context, const std::optional<Norm>& norm,
                             const Tensor& x)
    {
        return norm ? (*norm)(context, x) : x;
    }
    static Tensor added(const Context& context, const Tensor& residual, const Tensor& x, bool drops)
    {
        Tensor made = dropped(context, x, drops);
        if (context.model.scales_branches) {
            made = scale(context.tape, made);
        }
        return add(context.tape, residual, made);
    }

    SelfAttention m_attention;
    std::optional<DecoderFeedForward> m_mlp;
    std::optional<SparseMlp> m_sparse;
    std::optional<Norm> m_before_attention;
    std::optional<Norm> m_before_mlp;
    std::optional<Norm> m_after_attention;
    std::optional<Norm> m_after_mlp;
};

/// LlamaForCausalLM and its kin, or one stage of it.
class Decoder final : public Network {
public:
    explicit Decoder(const Context& context)
        : Network(context)
        , m_first(context.model.layers / context.run.division.pipeline * context.run.division.stage)
    {
        const ModelShape& model = context.model;
        const Division& division = context.run.division;
        const auto words = [&] {
            return &context.parameters.weight(model.vocabulary, model.hidden);
        };
        if (division.isFirst() || (division.isLast() && model.ties_head)) {
            const InModule made(context.tape.recorder(), kEmbedding);
            m_embedding = words(); // A tied one is on both of these stages.
        }
        context.parameters.makeUnits(0, model.layers / division.pipeline, [&](std::int64_t i) {
            m_layers.emplace_back(context, m_first + i);
        });
        if (division.isLast()) {
            m_norm.emplace(context, model.hidden);
            const InModule made(context.tape.recorder(), "lm_head (Linear)");
            m_head = model.ties_head ? m_embedding : words();
            if (model.has_head_bias) {
                m_head_bias = &context.parameters.weight(1, model.vocabulary);
            }
        }
    }

    Tensor forward(const Batch& batch) override
    {
        const Context& c = context();
        Tensor hidden = batch.received;
        if (c.run.division.isFirst()) {
            hidden = embedded(batch);
        }
        // One mask for the layers that slide and one for the others, where there are such.
        const bool some_slide = std::ranges::count(c.model.sliding, true) > 0;
        const bool all_slide = some_slide && std::ranges::count(c.model.sliding, false) == 0;
        const Tensor full_mask = all_slide
            ? Tensor()
            : maskOf(c, {true, false, true, c.run.sequence, c.run.sequence}, hidden.type);
        const Tensor sliding_mask = some_slide
            ? maskOf(c, {true, true, true, c.run.sequence, c.run.sequence}, hidden.type)
            : Tensor();
        std::vector<Rotation> rotations;
        for (std::int64_t i = 0; i < c.model.rotations; ++i) {
            rotations.push_back(
                rotationOf(c, c.model.turning == Turning::wide_angles ? Dtype::fp32 : hidden.type));
        }
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            const std::int64_t number = m_first + static_cast<std::int64_t>(i);
            const bool slides = c.model.slides(number);
            const Tensor& mask = slides ? sliding_mask : full_mask;
            const Rotation& rotation = slides ? rotations.back() : rotations.front();
            const auto layer = [this, i, mask, rotation,
                                turns = c.model.turns(number)](const Tensor& x) {
                return m_layers[i](context(), x, turns ? &rotation : nullptr, mask);
            };
            hidden = throughLayer(static_cast<int>(i), layer, hidden);
        }
        rotations.clear();
        if (!c.run.division.isLast()) {
            return hidden;
        }
        hidden = (*m_norm)(c, hidden);
        return lossOf(hidden, *m_head, m_head_bias != nullptr ? m_head_bias->tensor : Tensor(),
                      batch);
    }

private:
    Tensor embedded(const Batch& batch)
    {
        const Context& c = context();
        Tape& tape = c.tape;
        const InModule running(tape.recorder(), kEmbedding);
        Tensor made = embedding(tape, m_embedding->tensor, batch.ids, c.model.hidden);
        made = leaveParts(c, made);
        if (c.model.scales_embedding) {
            made = scale(tape, made);
        }
        made = dropped(c, made, c.model.drops_embedding);
        if (c.run.lora && c.run.checkpoints && !made.needsGradient()) {
            // enable_input_require_grads: without it no checkpointed layer would be trained.
            made = tape.leaf(made.memory, made.elements, made.type, 0, [](const Tensor&) {});
        }
        return made;
    }

    std::int64_t m_first; ///< Layer of the model.
    Parameter* m_embedding = nullptr;
    std::deque<DecoderLayer> m_layers;
    std::optional<Norm> m_norm;
    Parameter* m_head = nullptr;
    Parameter* m_head_bias = nullptr;
};

} // namespace

std::unique_ptr<Network> makeDecoder(const Context& context)
{
    return std::make_unique<Decoder>(context);
}

} // namespace tidemark::walk
