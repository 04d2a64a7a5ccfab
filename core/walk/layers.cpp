// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/layers.h"

#include "core/walk/operations.h"

#include <algorithm>

namespace tidemark::walk {
namespace {

constexpr std::string_view kLayerNorm = "norm (LayerNorm)";

} // namespace

Linear::Linear(const Context& context, std::string_view name, std::int64_t in, std::int64_t out,
               bool has_bias)
    : m_module(std::string(name) + " (Linear)")
    , m_in(in)
    , m_out(out)
{
    const InModule made(context.tape.recorder(), m_module);
    m_weight = &context.parameters.matrix(out, in);
    if (has_bias) {
        m_bias = &context.parameters.weight(1, out);
    }
    if (context.run.lora
        && std::ranges::find(context.run.lora->targets, name) != context.run.lora->targets.end()) {
        m_down = &context.parameters.adapter(context.run.lora->rank, in);
        m_up = &context.parameters.adapter(out, context.run.lora->rank);
    }
}

Tensor Linear::operator()(const Context& context, const Tensor& x) const
{
    Tape& tape = context.tape;
    const InModule running(tape.recorder(), m_module);
    const std::int64_t rows = x.elements / m_in;
    const Tensor bias = m_bias != nullptr ? m_bias->tensor : Tensor();
    const Quantization format = context.run.quantization;
    Tensor result = format == Quantization::none
        ? linear(tape, x, m_weight->tensor, rows * m_out, bias)
        : quantizedLinear(tape, x, {m_out, m_in, format}, bias);
    if (m_down == nullptr) {
        return result;
    }
    const Dtype type = result.type;
    if (format == Quantization::nf4 || format == Quantization::nf4_double) {
        result = shift(tape, result); // PEFT clones it.
    }
    const Tensor input = cast(tape, x, m_down->type);
    Tensor narrow = linear(tape, input, m_down->tensor, rows * m_down->rows, {});
    Tensor wide = linear(tape, narrow, m_up->tensor, rows * m_out, {});
    narrow = {};
    wide = scale(tape, wide);
    if (format != Quantization::none && !tape.autocasts) {
        wide = cast(tape, wide, type);
    }
    result = add(tape, result, wide);
    wide = {};
    return cast(tape, result, type);
}

LayerNorm::LayerNorm(const Context& context, std::int64_t width)
    : m_width(width)
{
    const InModule made(context.tape.recorder(), kLayerNorm);
    m_weight = &context.parameters.weight(1, width);
    m_bias = &context.parameters.weight(1, width);
}

Tensor LayerNorm::operator()(const Context& context, const Tensor& x) const
{
    const InModule running(context.tape.recorder(), kLayerNorm);
    return layerNorm(context.tape, x, m_weight->tensor, m_bias->tensor, x.elements / m_width);
}

Tensor activate(const Context& context, const Tensor& x)
{
    Tape& tape = context.tape;
    const InModule running(tape.recorder(), "act_fn");
    if (context.model.activation == Activation::fused) {
        return context.run.own.activation ? multiply(tape, x, sigmoid(tape, x))
                                          : activation(tape, x);
    }
    if (context.model.activation == Activation::relu) {
        return relu(tape, x);
    }
    // 0.5 · x · (1 + tanh(c · (x + 0.044715 · x³))): activations.py, NewGELUActivation.
    const Tensor half = scale(tape, x);
    // Under autocast CUDA takes powers in 32 bits (autocast_mode.h), and all that follows.
    const bool widens = tape.autocasts && tape.target() == Target::cuda;
    Tensor inner = power(tape, widens ? cast(tape, x, Dtype::fp32) : x);
    inner = scale(tape, inner);
    inner = add(tape, x, inner);
    inner = scale(tape, inner);
    inner = tanh(tape, inner);
    inner = shift(tape, inner);
    return multiply(tape, half, inner);
}

Tensor dropped(const Context& context, const Tensor& x, bool drops)
{
    return drops && context.run.mode != Mode::inference ? dropout(context.tape, x) : x;
}

Rotation rotationOf(const Context& context, Dtype type)
{
    Tape& tape = context.tape;
    const std::int64_t elements = context.run.sequence * context.model.rotary_width;
    const Tensor angles = tape.empty(elements, Dtype::fp32);
    const auto of = [&] {
        const Tensor plain = tape.empty(elements, Dtype::fp32);
        return cast(tape, scale(tape, plain), type);
    };
    Rotation made;
    made.cos = of();
    made.sin = of();
    return made;
}

namespace {

Tensor turned(Tape& tape, const Tensor& x, const Rotation& rotation)
{
    const Tensor direct = multiply(tape, x, rotation.cos);
    Tensor other;
    {
        const Tensor first = slice(tape, x, x.elements / 2);
        const Tensor second = slice(tape, x, x.elements / 2);
        other = concatenate(tape, {negative(tape, second), first});
    }
    other = multiply(tape, other, rotation.sin);
    return add(tape, direct, other);
}

} // namespace

Tensor rotated(const Context& context, const Tensor& x, const Rotation& rotation)
{
    Tape& tape = context.tape;
    const Turning turning = context.model.turning;
    if (turning == Turning::wide_input) {
        return cast(tape, turned(tape, cast(tape, x, Dtype::fp32), rotation), x.type);
    }
    if (turning == Turning::wide_angles) {
        return cast(tape, turned(tape, x, rotation), x.type);
    }
    if (!context.model.joins_rotation) {
        return turned(tape, x, rotation);
    }
    const std::int64_t part = x.elements / context.model.head_width * context.model.rotary_width;
    const Tensor rotating = slice(tape, x, part);
    const Tensor passing = slice(tape, x, x.elements - part);
    return concatenate(tape, {turned(tape, rotating, rotation), passing});
}

Tensor languageLoss(const Context& context, const Tensor& logits, const Tensor& labels)
{
    Tape& tape = context.tape;
    const InModule running(tape.recorder(), kLoss,
                           context.model.widensLogits() ? "ForCausalLMLoss" : "forward");
    if (context.run.own.loss) {
        return ownCrossEntropy(tape, logits, labels);
    }
    // loss_utils.py makes a 32-bit copy of the logits of causal models; the others hand theirs over
    // as they are. Under autocast log_softmax makes one itself on the CPU; on CUDA it keeps the
    // precision that cross_entropy hands it (LossNLL.cpp), and nll_loss makes the copy.
    const bool is_cuda = tape.target() == Target::cuda;
    const bool widens = context.model.widensLogits() || (tape.autocasts && !is_cuda);
    const Tensor wide = widens ? cast(tape, logits, Dtype::fp32) : logits;
    if (wide.memory != logits.memory) {
        tape.recorder().label(wide.memory, label::Bucket::temporary, label::Role::logits);
    }
    const Tensor shifted = tape.emptyLike(labels);
    return crossEntropy(tape, wide, shifted);
}

} // namespace tidemark::walk
