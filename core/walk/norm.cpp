// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/norm.h"

#include "core/walk/operations.h"

namespace tidemark::walk {
namespace {

bool isLayerNorm(NormKind kind)
{
    return kind == NormKind::layer || kind == NormKind::plain || kind == NormKind::centered;
}

std::string_view nameOf(NormKind kind)
{
    return isLayerNorm(kind) ? "norm (LayerNorm)" : "norm (RMSNorm)";
}

} // namespace

Norm::Norm(const Context& context, std::int64_t width, std::int64_t sets)
    : m_width(width)
{
    const NormKind kind = context.model.norm;
    const InModule made(context.tape.recorder(), nameOf(kind));
    if (kind != NormKind::plain) {
        m_weight = &context.parameters.weight(1, width * sets);
    }
    if (kind == NormKind::layer) {
        m_bias = &context.parameters.weight(1, width);
    }
}

Tensor Norm::operator()(const Context& context, const Tensor& x) const
{
    Tape& tape = context.tape;
    const InModule running(tape.recorder(), nameOf(context.model.norm));
    const std::int64_t rows = x.elements / m_width;
    switch (context.model.norm) {
    case NormKind::layer:
        return layerNorm(tape, x, m_weight->tensor, m_bias->tensor, rows);
    case NormKind::plain:
        return cast(tape, layerNorm(tape, cast(tape, x, Dtype::fp32), {}, {}, rows), x.type);
    case NormKind::centered:
        return centered(context, x);
    case NormKind::rms:
    case NormKind::rms_wide:
    case NormKind::rms_shifted:
        break;
    }
    return scaled(context, x);
}

Tensor Norm::scaled(const Context& context, const Tensor& x) const
{
    Tape& tape = context.tape;
    Tensor wide = cast(tape, x, Dtype::fp32);
    const std::int64_t rows = x.elements / m_width;
    {
        Tensor variance = meanOfRows(tape, power(tape, wide), rows);
        wide = multiply(tape, wide, reciprocalRoot(tape, shift(tape, variance)));
    }
    if (context.model.norm == NormKind::rms_shifted) {
        const Tensor weight = shift(tape, cast(tape, m_weight->tensor, Dtype::fp32));
        wide = multiply(tape, wide, weight);
        return cast(tape, wide, x.type);
    }
    if (context.model.norm == NormKind::rms_wide) {
        return cast(tape, multiply(tape, m_weight->tensor, wide), x.type);
    }
    return multiply(tape, m_weight->tensor, cast(tape, wide, x.type));
}

Tensor Norm::centered(const Context& context, const Tensor& x) const
{
    Tape& tape = context.tape;
    const Tensor wide = cast(tape, x, Dtype::fp32);
    const std::int64_t rows = x.elements / m_width;
    const Tensor mean = meanOfRows(tape, wide, rows);
    const Tensor variance = meanOfRows(tape, power(tape, subtract(tape, wide, mean)), rows);
    Tensor made;
    {
        const Tensor apart = subtract(tape, wide, mean);
        made = multiply(tape, apart, reciprocalRoot(tape, shift(tape, variance)));
    }
    made = multiply(tape, cast(tape, m_weight->tensor, Dtype::fp32), made);
    return cast(tape, made, x.type);
}

} // namespace tidemark::walk
