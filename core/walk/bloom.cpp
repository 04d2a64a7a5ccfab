// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/network.h"
#include "core/walk/operations.h"

#include <deque>
#include <optional>

namespace tidemark::walk {
namespace {

void asScores(Tape& tape, const Tensor& scores)
{
    tape.recorder().label(scores.memory, label::Bucket::temporary, label::Role::attention_matrix);
}

/// alibi.baddbmm(queries, keys) with a factor, which the gradients of both are multiplied with.
Tensor scoresOf(Tape& tape, const Tensor& q, const Tensor& k, std::int64_t out)
{
    const Tensor queries = operand(tape, q);
    const Tensor keys = operand(tape, k);
    const Saved kept_keys = queries.needsGradient() ? tape.save(keys) : nullptr;
    const Saved kept_queries = keys.needsGradient() ? tape.save(queries) : nullptr;
    Tensor made = tape.empty(out, queries.type);
    tape.connect(made, {&queries, &keys},
                 [&tape, kept_keys, kept_queries, of_queries = queries.elements,
                  of_keys = keys.elements](Tensor gradient) -> Gradients {
                     const auto product = [&](const Saved& kept, std::int64_t elements) {
                         Tensor scaled;
                         if (kept) {
                             tape.load(kept);
                             const Tensor plain = tape.empty(elements, gradient.type);
                             scaled = tape.emptyLike(plain);
                         }
                         return scaled;
                     };
                     Gradients out_gradients;
                     out_gradients.push_back(product(kept_keys, of_queries));
                     out_gradients.push_back(product(kept_queries, of_keys));
                     return out_gradients;
                 });
    return made;
}

/// GeLUFunction: keeps its input alone, and works through the formula both ways.
Tensor bloomGelu(Tape& tape, const Tensor& x)
{
    const Saved kept = x.needsGradient() ? tape.save(x) : nullptr;
    const auto work = [&tape](const Tensor& like) {
        // 0.79788456 · x and 1 + 0.044715 · x · x, whose product's tanh is needed.
        Tensor scaled = tape.emptyLike(like);
        Tensor square = tape.emptyLike(like);
        square = tape.emptyLike(like);
        square = tape.emptyLike(like);
        scaled = tape.emptyLike(like);
        square = {};
        return tape.emptyLike(like);
    };
    Tensor made;
    {
        const Tensor half = tape.emptyLike(x);
        Tensor inner = work(x);
        inner = tape.emptyLike(x);
        made = tape.emptyLike(x);
    }
    tape.connect(made, {&x}, [&tape, kept, work](Tensor gradient) -> Gradients {
        tape.load(kept);
        const Tensor curve = work(gradient);
        Tensor half = tape.emptyLike(gradient);
        Tensor slope = tape.emptyLike(gradient); // 1 − tanh²
        slope = tape.emptyLike(gradient);
        {
            Tensor square = tape.emptyLike(gradient);
            square = tape.emptyLike(gradient);
            square = tape.emptyLike(gradient);
            slope = tape.emptyLike(gradient);
        }
        half = tape.emptyLike(gradient);
        slope = {};
        {
            Tensor rest = tape.emptyLike(gradient);
            rest = tape.emptyLike(gradient);
            half = tape.emptyLike(gradient);
        }
        return {tape.emptyLike(gradient)};
    });
    return made;
}

/// BloomBlock of modeling_bloom.py: attention whose scores begin as the distances of tokens.
class BloomBlock {
public:
    explicit BloomBlock(const Context& context)
        : m_before_attention(context, context.model.hidden)
        , m_projections(context, "query_key_value", context.model.hidden, 3 * context.model.hidden,
                        true)
        , m_out(context, "dense", context.model.hidden, context.model.hidden, true)
        , m_before_mlp(context, context.model.hidden)
        , m_up(context, "dense_h_to_4h", context.model.hidden, context.model.feed_forward, true)
        , m_down(context, "dense_4h_to_h", context.model.feed_forward, context.model.hidden, true)
    {
    }

    Tensor operator()(const Context& context, const Tensor& x, const Tensor& distances,
                      const Tensor& mask) const
    {
        Tape& tape = context.tape;
        const bool closes = context.model.closes_branches;
        Tensor normed = m_before_attention(context, x);
        Tensor hidden = attention(context, normed, distances, mask);
        hidden = dropped(context, hidden, context.model.drops_hidden);
        const Tensor attended = add(tape, closes ? normed : x, hidden);
        normed = m_before_mlp(context, attended);
        hidden = m_up(context, normed);
        hidden = bloomGelu(tape, hidden);
        hidden = m_down(context, hidden);
        hidden = dropped(context, hidden, context.model.drops_hidden);
        return add(tape, closes ? normed : attended, hidden);
    }

private:
    Tensor attention(const Context& context, const Tensor& x, const Tensor& distances,
                     const Tensor& mask) const
    {
        Tape& tape = context.tape;
        const InModule running(tape.recorder(), kAttentionCall);
        const AttentionSize size = selfAttentionSize(context);
        Tensor out;
        {
            const Tensor joint = m_projections(context, x);
            // A reshape of each head's part is a copy.
            const auto part = [&] { return contiguous(tape, slice(tape, joint, x.elements)); };
            const Tensor q = part();
            const Tensor k = part();
            const Tensor v = part();
            const Tensor narrow = cast(tape, distances, q.type);
            Tensor scores = scoresOf(tape, q, k, size.scores());
            asScores(tape, scores);
            const auto next = [&](const Tensor& made) {
                scores = made;
                asScores(tape, scores);
            };
            next(add(tape, scores, mask));
            next(softmax(tape, cast(tape, scores, Dtype::fp32)));
            next(cast(tape, scores, q.type));
            next(dropped(context, scores, context.model.drops_attention));
            out = batchedProduct(tape, scores, v, size.widthOf(size.queries));
            out = mergeHeads(tape, out);
        }
        return m_out(context, out);
    }

    LayerNorm m_before_attention;
    Linear m_projections;
    Linear m_out;
    LayerNorm m_before_mlp;
    Linear m_up;
    Linear m_down;
};

/// BloomForCausalLM.
class Bloom final : public Network {
public:
    explicit Bloom(const Context& context)
        : Network(context)
        , m_words(&context.parameters.weight(context.model.vocabulary, context.model.hidden))
        , m_embedding_norm(context, context.model.hidden)
    {
        context.parameters.makeUnits(0, context.model.layers,
                                     [&](std::int64_t) { m_blocks.emplace_back(context); });
        m_norm.emplace(context, context.model.hidden);
        m_head = context.model.ties_head
            ? m_words
            : &context.parameters.weight(context.model.vocabulary, context.model.hidden);
    }

    Tensor forward(const Batch& batch) override
    {
        const Context& c = context();
        Tape& tape = c.tape;
        const Tensor words = embedding(tape, m_words->tensor, batch.ids, c.model.hidden);
        Tensor hidden = m_embedding_norm(c, words);
        const Tensor distances = tape.empty(c.run.tokens() * c.model.heads, hidden.type);
        const Tensor mask =
            maskOf(c, {true, false, true, c.run.sequence, c.run.sequence}, words.type);
        hidden = throughLayers(0, m_blocks, std::move(hidden),
                               [&c, mask, distances](const BloomBlock& block, const Tensor& x) {
                                   return block(c, x, distances, mask);
                               });
        hidden = (*m_norm)(c, hidden);
        return lossOf(hidden, *m_head, {}, batch);
    }

private:
    Parameter* m_words;
    LayerNorm m_embedding_norm;
    std::deque<BloomBlock> m_blocks;
    std::optional<LayerNorm> m_norm;
    Parameter* m_head = nullptr;
};

} // namespace

std::unique_ptr<Network> makeBloom(const Context& context)
{
    return std::make_unique<Bloom>(context);
}

} // namespace tidemark::walk
