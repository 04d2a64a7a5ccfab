// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/layers.h"
#include "core/plan/operations.h"

#include <utility>

namespace tidemark::plan {
namespace {

/// Keys or values of fewer heads repeated to all.
Tensor toAllHeads(const Context& context, const Tensor& x)
{
    if (context.model.heads == context.model.key_heads) {
        return x;
    }
    return repeat(context.tape, x, context.run.tokens() * context.model.queryWidth());
}

std::int64_t scoreElements(const Context& context)
{
    return context.run.tokens() * context.model.heads * context.run.sequence;
}

void asScores(const Context& context, const Tensor& scores)
{
    context.tape.recorder().label(scores.memory, label::Bucket::temporary,
                                  label::Role::attention_matrix);
}

/// eager_attention_forward of transformers: the scores of all heads are made.
Tensor eagerAttention(const Context& context, const Tensor& q, const Tensor& k, const Tensor& v,
                      const AttentionCall& call)
{
    Tape& tape = context.tape;
    const Tensor keys = toAllHeads(context, k);
    const Tensor values = toAllHeads(context, v);
    Tensor scores = batchedProduct(tape, q, transposedKeys(tape, keys), scoreElements(context));
    asScores(context, scores);
    const auto next = [&](auto function) {
        scores = function(tape, scores);
        asScores(context, scores);
    };
    next(scale);
    if (context.model.caps_scores) {
        next(scale);
        next(tanh);
        next(scale);
    }
    if (call.mask.isThere()) {
        scores = add(tape, scores, call.mask);
        asScores(context, scores);
    }
    if (context.model.architecture == Architecture::decoder || tape.autocasts) {
        // GPT-2 and BERT leave the type as it is.
        next([](Tape& t, const Tensor& x) { return cast(t, x, Dtype::fp32); });
    }
    next(softmax);
    scores = cast(tape, scores, v.type);
    asScores(context, scores);
    scores = dropped(context, scores, call.drops);
    asScores(context, scores);
    Tensor out =
        batchedProduct(tape, scores, values, context.run.tokens() * context.model.queryWidth());
    return mergeHeads(tape, out);
}

/// The fallback of scaled_dot_product_attention (_scaled_dot_product_attention_math in
/// ATen/native/transformers/attention.cpp). It computes in 32 bits whatever it gets, autocast or
/// not, and hands the matrix out as well.
Tensor mathAttention(const Context& context, const Tensor& q, const Tensor& k, const Tensor& v,
                     const AttentionCall& call)
{
    Tape& tape = context.tape;
    const Tensor narrow_query = operand(tape, q);
    const Tensor narrow_key = operand(tape, k);
    const Tensor narrow_value = operand(tape, v);
    const Dtype type = narrow_query.type;
    const Tensor query = cast(tape, narrow_query, Dtype::fp32);
    const Tensor key = cast(tape, narrow_key, Dtype::fp32);
    const Tensor value = cast(tape, narrow_value, Dtype::fp32);
    const bool autocasts = std::exchange(tape.autocasts, false);
    const Tensor keys = toAllHeads(context, key);
    const Tensor values = toAllHeads(context, value);
    Tensor causal;
    if (call.is_causal && !call.mask.isThere()) {
        causal = tape.empty(context.run.sequence * context.run.sequence, Dtype::fp32);
    }
    const Tensor scaled = scale(tape, query);
    Tensor scores = batchedProduct(tape, scaled, transposedKeys(tape, scale(tape, keys)),
                                   scoreElements(context));
    asScores(context, scores);
    {
        // _safe_softmax: rows that are masked as a whole become zero.
        const Tensor plain = tape.emptyLike(scores);
        const Tensor masked = tape.empty(scores.elements, Dtype::boolean);
    }
    scores = softmax(tape, scores);
    asScores(context, scores);
    scores = dropped(context, scores, call.drops);
    asScores(context, scores);
    const Tensor handed_out = cast(tape, scores, type);
    Tensor out =
        batchedProduct(tape, scores, values, context.run.tokens() * context.model.queryWidth());
    out = cast(tape, out, type);
    tape.autocasts = autocasts;
    return mergeHeads(tape, out);
}

} // namespace

Kernel kernelOf(const ModelShape& model, const RunShape& run, bool is_masked)
{
    const bool is_wide = model.head_width > 256;
    if (run.target == Target::cpu) {
        // The fused kernel of the CPU knows no dropout.
        return model.drops_attention && run.mode != Mode::inference ? Kernel::math
                                                                    : Kernel::cpu_flash;
    }
    if (run.precision != Precision::fp32 && !is_masked && !is_wide) {
        return Kernel::flash;
    }
    // Grouped queries without a mask are left to the kernel, and this one does not know them.
    const bool is_grouped = model.heads != model.key_heads && !is_masked;
    return is_grouped ? Kernel::math : Kernel::efficient;
}

Tensor maskOf(const Context& context, bool slides, Dtype type)
{
    Tape& tape = context.tape;
    const RunShape& run = context.run;
    const bool is_encoder = context.model.architecture == Architecture::bert;
    const std::int64_t square = run.batch * run.sequence * run.sequence;
    const bool needs_window = slides && run.sequence >= context.model.window;
    if (run.attention == Attention::eager) {
        if (is_encoder && !run.is_padded) {
            return {};
        }
        const Tensor allowed = tape.empty(square, Dtype::boolean);
        return tape.empty(square, type);
    }
    if (run.attention == Attention::sdpa && (needs_window || run.is_padded)) {
        const Tensor part = tape.empty(run.sequence * run.sequence, Dtype::boolean);
        return tape.empty(square, Dtype::boolean);
    }
    return {};
}

Tensor attend(const Context& context, const Tensor& q, const Tensor& k, const Tensor& v,
              const AttentionCall& call)
{
    Tape& tape = context.tape;
    const ModelShape& model = context.model;
    const RunShape& run = context.run;
    if (run.attention == Attention::eager) {
        return eagerAttention(context, q, k, v, call);
    }
    const bool is_masked = call.mask.isThere();
    Kernel kernel = kernelOf(model, run, is_masked);
    if (run.attention == Attention::flash) {
        kernel = Kernel::flash;
    } else if (run.kernel) {
        kernel = *run.kernel;
    }
    if (kernel == Kernel::math) {
        return mathAttention(context, q, k, v, call);
    }
    FusedAttention how;
    how.heads = model.heads;
    how.key_heads = model.key_heads;
    how.head_width = model.head_width;
    how.batch = run.batch;
    how.sequence = run.sequence;
    how.mask = is_masked ? call.mask.elements : 0;
    how.kernel = kernel;
    how.context = run.division.context;
    // With a mask transformers repeats keys and values itself; so must one whose kernel of CUDA
    // knows no groups.
    if (is_masked || (kernel == Kernel::efficient && model.heads != model.key_heads)) {
        how.key_heads = how.heads;
        const Tensor keys = toAllHeads(context, k);
        const Tensor values = toAllHeads(context, v);
        return mergeHeads(tape, fusedAttention(tape, q, keys, values, how));
    }
    return mergeHeads(tape, fusedAttention(tape, q, k, v, how));
}

} // namespace tidemark::plan
