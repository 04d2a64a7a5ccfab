// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/collectives.h"

#include "core/walk/operations.h"

namespace tidemark::walk {
namespace {

std::int64_t shared(std::int64_t size, std::int64_t among)
{
    return (size + among - 1) / among;
}

Tensor communicated(Tape& tape, std::int64_t elements, Dtype type)
{
    Tensor made = tape.empty(elements, type);
    tape.recorder().label(made.memory, label::Bucket::communication);
    return made;
}

/// The pieces of all GPUs, and then in the order of the sequence.
Tensor gathered(Tape& tape, const Tensor& x, std::int64_t among)
{
    const Tensor pieces = communicated(tape, x.elements * among, x.type);
    return tape.emptyLike(pieces);
}

Tensor scattered(Tape& tape, const Tensor& x, std::int64_t among)
{
    const Tensor pieces = communicated(tape, x.elements, x.type);
    return tape.empty(shared(x.elements, among), x.type);
}

} // namespace

ModelShape partOf(const ModelShape& model, const Division& division)
{
    ModelShape part = model;
    const std::int64_t among = division.tensor;
    part.heads = shared(model.heads, among);
    part.key_heads = shared(model.key_heads, among);
    part.feed_forward = shared(model.feed_forward, among);
    part.vocabulary = shared(model.vocabulary, among);
    if (part.experts) {
        part.experts->width = shared(part.experts->width, among);
        part.experts->shared_width = shared(part.experts->shared_width, among);
    }
    return part;
}

RunShape partOf(const RunShape& run)
{
    RunShape part = run;
    part.sequence = shared(run.sequence, run.division.context);
    return part;
}

Tensor enterParts(const Context& context, const Tensor& x)
{
    const Division& division = context.run.division;
    if (division.tensor == 1) {
        return x;
    }
    Tape& tape = context.tape;
    const std::int64_t among = division.tensor;
    if (division.divides_tokens) {
        Tensor made = gathered(tape, x, among);
        tape.connect(made, {&x}, [&tape, among](Tensor gradient) -> Gradients {
            return {scattered(tape, gradient, among)};
        });
        return made;
    }
    Tensor made = view(tape, x, x.elements, x.is_contiguous);
    if (made.needsGradient()) {
        made.node->run = [&tape](Tensor gradient) -> Gradients {
            return {communicated(tape, gradient.elements, gradient.type)};
        };
    }
    return made;
}

Tensor leaveParts(const Context& context, const Tensor& x)
{
    const Division& division = context.run.division;
    if (division.tensor == 1) {
        return x;
    }
    Tape& tape = context.tape;
    const std::int64_t among = division.tensor;
    if (division.divides_tokens) {
        Tensor made = scattered(tape, x, among);
        tape.connect(made, {&x}, [&tape, among](Tensor gradient) -> Gradients {
            return {gathered(tape, gradient, among)};
        });
        return made;
    }
    Tensor made = tape.emptyLike(x);
    tape.connect(made, {&x}, [](Tensor gradient) -> Gradients { return {std::move(gradient)}; });
    return made;
}

Tensor exchangeRows(const Context& context, const Tensor& x)
{
    if (context.run.division.experts == 1) {
        return x;
    }
    Tape& tape = context.tape;
    Tensor made = tape.emptyLike(x);
    tape.connect(made, {&x}, [&tape](Tensor gradient) -> Gradients {
        return {communicated(tape, gradient.elements, gradient.type)};
    });
    return made;
}

} // namespace tidemark::walk
