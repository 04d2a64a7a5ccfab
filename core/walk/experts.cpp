// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/experts.h"

#include "core/walk/collectives.h"
#include "core/walk/operations.h"

namespace tidemark::walk {

GatedMlp::GatedMlp(const Context& context, std::int64_t width)
    : m_width(width)
{
    const ModelShape& model = context.model;
    const InModule made(context.tape.recorder(), "mlp");
    const bool has_bias = model.has_mlp_bias;
    if (model.joint == Joint::parts) {
        m_gate.emplace(context, "gate_up_proj", model.hidden, 2 * width, has_bias);
    } else {
        m_gate.emplace(context, "gate_proj", model.hidden, width, has_bias);
        m_up.emplace(context, "up_proj", model.hidden, width, has_bias);
    }
    m_down.emplace(context, "down_proj", width, model.hidden, has_bias);
}

Tensor GatedMlp::operator()(const Context& context, const Tensor& x) const
{
    Tape& tape = context.tape;
    const InModule running(tape.recorder(), "mlp");
    Tensor inner;
    if (!m_up) {
        // Phi3MLP: the product has the parts of one projection.
        const std::int64_t half = x.elements / context.model.hidden * m_width;
        const Tensor both = (*m_gate)(context, x);
        const std::vector<Tensor> parts = split(tape, both, {half, half});
        const Tensor gate = activate(context, parts[0]);
        inner = multiply(tape, parts[1], gate);
        return (*m_down)(context, inner);
    }
    Tensor gate = (*m_gate)(context, x);
    gate = activate(context, gate);
    {
        const Tensor up = (*m_up)(context, x);
        inner = multiply(tape, gate, up);
    }
    gate = {};
    return (*m_down)(context, inner);
}

SparseMlp::SparseMlp(const Context& context)
{
    const ModelShape& model = context.model;
    const InModule made(context.tape.recorder(), "experts");
    const Experts& experts = *model.experts;
    m_router = &context.parameters.weight(experts.count, model.hidden);
    const std::int64_t here = experts.count / context.run.division.experts;
    m_gate_up = &context.parameters.expert(here * 2 * experts.width, model.hidden);
    m_down = &context.parameters.expert(here * model.hidden, experts.width);
    if (experts.shared_width > 0) {
        m_shared.emplace(context, experts.shared_width);
        m_shared_gate.emplace(context, "shared_expert_gate", model.hidden, 1, false);
    }
}

Tensor SparseMlp::operator()(const Context& context, const Tensor& x) const
{
    Tape& tape = context.tape;
    const InModule running(tape.recorder(), "experts");
    const Experts& experts = *context.model.experts;
    const std::int64_t tokens = context.run.tokens();
    const std::int64_t pairs = tokens * experts.per_token;
    const Tensor rows = view(tape, x, x.elements, true);
    Tensor shared = m_shared ? (*m_shared)(context, rows) : Tensor();

    const Tensor logits = linear(tape, rows, m_router->tensor, tokens * experts.count, {});
    const Tensor probabilities = softmax(tape, cast(tape, logits, Dtype::fp32));
    const Tensor chosen = tape.empty(pairs, Dtype::int64);
    Tensor weights = gather(tape, probabilities, pairs, chosen);
    if (experts.normalizes) {
        const Tensor sums = sum(tape, weights, tokens);
        weights = multiply(tape, weights, sums);
    }
    weights = cast(tape, weights, logits.type);

    const Tensor sorted = tape.empty(pairs, Dtype::int64);
    const Tensor order = tape.empty(pairs, Dtype::int64);
    const Tensor sources = tape.empty(pairs, Dtype::int64);
    Tensor selected = gather(tape, rows, pairs * context.model.hidden, sources);
    const Tensor selected_weights = gather(tape, weights, pairs, order);
    selected = exchangeRows(context, selected);
    Tensor out = groupedProduct(tape, selected, m_gate_up->tensor, pairs * 2 * experts.width);
    {
        const std::vector<Tensor> parts =
            split(tape, out, {pairs * experts.width, pairs * experts.width});
        const Tensor gate = activate(context, parts[0]);
        out = multiply(tape, gate, parts[1]);
    }
    out = groupedProduct(tape, out, m_down->tensor, pairs * context.model.hidden);
    out = exchangeRows(context, out);
    Tensor weighted = multiply(tape, out, selected_weights);
    const Tensor back = tape.empty(pairs, Dtype::int64);
    weighted = gather(tape, weighted, weighted.elements, back);
    Tensor result = cast(tape, sum(tape, weighted, x.elements), x.type);
    if (!m_shared) {
        return result;
    }
    const Tensor open = sigmoid(tape, (*m_shared_gate)(context, rows));
    shared = multiply(tape, open, shared);
    return add(tape, result, shared);
}

} // namespace tidemark::walk
