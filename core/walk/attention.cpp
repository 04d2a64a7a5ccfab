// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/layers.h"
#include "core/walk/operations.h"

#include <algorithm>
#include <utility>

namespace tidemark::walk {
namespace {

/// Keys or values of fewer heads repeated to all.
Tensor toAllHeads(const Context& context, const AttentionSize& size, const Tensor& x)
{
    if (size.heads == size.key_heads) {
        return x;
    }
    return repeat(context.tape, x, size.widthOf(size.keys));
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
    const Tensor keys = toAllHeads(context, call.size, k);
    const Tensor values = toAllHeads(context, call.size, v);
    Tensor scores = batchedProduct(tape, q, transposedKeys(tape, keys), call.size.scores());
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
    for (const Tensor* const addend : {&call.bias, &call.mask}) {
        if (addend->isThere()) {
            scores = add(tape, scores, *addend);
            asScores(context, scores);
        }
    }
    if (call.is_wide || tape.autocasts) {
        next([](Tape& t, const Tensor& x) { return cast(t, x, Dtype::fp32); });
    }
    next(softmax);
    scores = cast(tape, scores, v.type);
    asScores(context, scores);
    scores = dropped(context, scores, call.drops);
    asScores(context, scores);
    Tensor out = batchedProduct(tape, scores, values, call.size.widthOf(call.size.queries));
    return mergeHeads(tape, out);
}

/// Written out: a name holds the masked scores until the values are summed.
Tensor ownAttention(const Context& context, const Tensor& q, const Tensor& k, const Tensor& v,
                    const AttentionCall& call)
{
    Tape& tape = context.tape;
    const Tensor keys = toAllHeads(context, call.size, k);
    const Tensor values = toAllHeads(context, call.size, v);
    Tensor scores = batchedProduct(tape, q, transposedKeys(tape, keys), call.size.scores());
    asScores(context, scores);
    scores = scale(tape, scores);
    asScores(context, scores);
    if (call.is_causal || call.mask.isThere()) {
        const Tensor allowed = tape.empty(call.size.queries * call.size.keys, Dtype::boolean);
        scores = choose(tape, allowed, scores, scores.elements);
        asScores(context, scores);
    }
    Tensor shares = ownSoftmax(tape, scores, call.size.scores() / call.size.keys,
                               context.run.unsaid.repeats_exponentials);
    asScores(context, shares);
    shares = dropped(context, shares, call.drops);
    Tensor out = batchedProduct(tape, shares, values, call.size.widthOf(call.size.queries));
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
    const Tensor keys = toAllHeads(context, call.size, key);
    const Tensor values = toAllHeads(context, call.size, value);
    Tensor causal;
    if (call.is_causal && !call.mask.isThere() && !call.bias.isThere()) {
        causal = tape.empty(call.size.queries * call.size.keys, Dtype::fp32);
    }
    const Tensor scaled = scale(tape, query);
    Tensor scores =
        batchedProduct(tape, scaled, transposedKeys(tape, scale(tape, keys)), call.size.scores());
    asScores(context, scores);
    if (call.bias.isThere()) {
        scores = add(tape, scores, call.bias);
        asScores(context, scores);
    }
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
    Tensor out = batchedProduct(tape, scores, values, call.size.widthOf(call.size.queries));
    out = cast(tape, out, type);
    tape.autocasts = autocasts;
    return mergeHeads(tape, out);
}

/// create_position_bias_mask: positions' numbers where a token may look, in one piece.
Tensor biasMask(const Context& context, const AttentionCall& call)
{
    Tape& tape = context.tape;
    if (call.mask.isThere() || call.is_causal) {
        Tensor allowed;
        if (!call.mask.isThere()) {
            allowed = tape.empty(call.size.queries * call.size.keys, Dtype::boolean);
        }
        const Tensor& mask = call.mask.isThere() ? call.mask : allowed;
        return choose(tape, mask, call.bias, std::max(mask.elements, call.bias.elements));
    }
    return contiguous(tape, call.bias);
}

/// By one kernel, or the fallback.
Tensor attendFused(const Context& context, const Tensor& q, const Tensor& k, const Tensor& v,
                   const AttentionCall& call)
{
    Tape& tape = context.tape;
    const ModelShape& model = context.model;
    const RunShape& run = context.run;
    const bool is_masked = call.mask.isThere() || call.bias.isThere();
    Kernel kernel = kernelOf(model, run, is_masked);
    if (call.bias.needsGradient()) {
        kernel = Kernel::math; // Nothing fused makes a gradient for it, on neither.
    }
    if (run.attention == Attention::flash) {
        kernel = Kernel::flash;
    } else if (run.unsaid.kernel) {
        kernel = *run.unsaid.kernel;
    }
    if (kernel == Kernel::math) {
        return mathAttention(context, q, k, v, call);
    }
    FusedAttention how;
    how.heads = call.size.heads;
    how.key_heads = call.size.key_heads;
    how.head_width = call.size.head_width;
    how.batch = call.size.batch;
    how.sequence = call.size.queries;
    how.mask = call.mask.isThere() ? call.mask.elements : 0;
    how.bias = call.bias;
    how.scores = call.size.scores();
    how.kernel = kernel;
    how.context = run.division.context;
    // With a mask transformers repeats keys and values itself; so must one whose kernel of CUDA
    // knows no groups.
    if (is_masked || (kernel == Kernel::efficient && how.heads != how.key_heads)) {
        how.key_heads = how.heads;
        const Tensor keys = toAllHeads(context, call.size, k);
        const Tensor values = toAllHeads(context, call.size, v);
        return mergeHeads(tape, fusedAttention(tape, q, keys, values, how));
    }
    return mergeHeads(tape, fusedAttention(tape, q, k, v, how));
}

} // namespace

AttentionSize selfAttentionSize(const Context& context)
{
    const ModelShape& model = context.model;
    const RunShape& run = context.run;
    return {run.batch, run.sequence, run.sequence, model.heads, model.key_heads, model.head_width};
}

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

Tensor maskOf(const Context& context, const MaskShape& shape, Dtype type)
{
    Tape& tape = context.tape;
    const RunShape& run = context.run;
    const std::int64_t pairs = shape.queries * shape.keys;
    const bool is_padded = run.is_padded && shape.may_be_padded;
    const bool needs_window = shape.slides && shape.keys >= context.model.window;
    if (run.attention == Attention::eager) {
        if (!shape.is_causal && !is_padded && !needs_window) {
            return {};
        }
        const Tensor allowed = tape.empty(run.batch * pairs, Dtype::boolean);
        return tape.empty(run.batch * pairs, type);
    }
    if (run.attention == Attention::sdpa && (needs_window || is_padded)) {
        const Tensor part = tape.empty(pairs, Dtype::boolean);
        return tape.empty(run.batch * pairs, Dtype::boolean);
    }
    return {};
}

Tensor attend(const Context& context, const Tensor& q, const Tensor& k, const Tensor& v,
              const AttentionCall& call)
{
    const RunShape& run = context.run;
    const InModule running(context.tape.recorder(), kAttentionCall);
    if (run.attention == Attention::eager) {
        return eagerAttention(context, q, k, v, call);
    }
    if (run.attention == Attention::own) {
        return ownAttention(context, q, k, v, call);
    }
    if (call.bias.isThere()) {
        AttentionCall joined = call;
        joined.bias = biasMask(context, call);
        joined.mask = {};
        return attendFused(context, q, k, v, joined);
    }
    return attendFused(context, q, k, v, call);
}

} // namespace tidemark::walk
