// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/operations.h"

#include <utility>

namespace tidemark::walk {
namespace {

/// What autocast computes in 32 bits: exp, log, sum (autocast_mode.h, kFP32).
Tensor widened(Tape& tape, const Tensor& x)
{
    return tape.autocasts ? cast(tape, x, Dtype::fp32) : x;
}

/// One number for each so many elements seen as all of them: expand.
Tensor expanded(const Tensor& rows, std::int64_t elements)
{
    Tensor made;
    made.memory = rows.memory;
    made.base = rows.memory;
    made.elements = elements;
    made.type = rows.type;
    return made;
}

} // namespace

Tensor exponential(Tape& tape, const Tensor& x)
{
    const Tensor input = widened(tape, x);
    Tensor made = tape.emptyLike(input);
    const Saved kept = input.needsGradient() ? tape.save(made) : nullptr;
    tape.connect(made, {&input}, [&tape, kept](Tensor gradient) -> Gradients {
        tape.load(kept);
        return {tape.emptyLike(gradient)};
    });
    return made;
}

Tensor logarithm(Tape& tape, const Tensor& x)
{
    const Tensor input = widened(tape, x);
    const Saved kept = input.needsGradient() ? tape.save(input) : nullptr;
    Tensor made = tape.emptyLike(input);
    tape.connect(made, {&input}, [&tape, kept](Tensor gradient) -> Gradients {
        tape.load(kept);
        return {tape.emptyLike(gradient)};
    });
    return made;
}

Tensor largestOfRows(Tape& tape, const Tensor& x, std::int64_t rows)
{
    Tensor made = tape.empty(rows, x.type);
    const Tensor places = tape.empty(rows, Dtype::int64);
    const Saved kept = x.needsGradient() ? tape.save(places) : nullptr;
    tape.connect(made, {&x}, [&tape, kept, all = x.elements](Tensor gradient) -> Gradients {
        tape.load(kept);
        return {tape.empty(all, gradient.type)};
    });
    return made;
}

Tensor sumOfRows(Tape& tape, const Tensor& x, std::int64_t rows)
{
    const Tensor input = widened(tape, x);
    Tensor made = tape.empty(rows, input.type);
    tape.connect(made, {&input}, [all = input.elements](Tensor gradient) -> Gradients {
        return {expanded(gradient, all)};
    });
    return made;
}

Tensor subtract(Tape& tape, const Tensor& x, const Tensor& rows)
{
    Tensor made = tape.empty(x.elements, promoted(x.type, rows.type));
    tape.connect(made, {&x, &rows},
                 [&tape, of_rows = rows.elements, type = x.type,
                  rows_type = rows.type](Tensor gradient) -> Gradients {
                     Gradients out;
                     out.push_back(gradient.type == type ? gradient
                                                         : tape.empty(gradient.elements, type));
                     const Tensor negated = tape.emptyLike(gradient);
                     out.push_back(tape.empty(of_rows, rows_type));
                     return out;
                 });
    return made;
}

Tensor divide(Tape& tape, const Tensor& x, const Tensor& rows)
{
    const Saved kept_x = rows.needsGradient() ? tape.save(x) : nullptr;
    const Saved kept_rows = tape.save(rows);
    Tensor made = tape.empty(x.elements, promoted(x.type, rows.type));
    tape.connect(made, {&x, &rows},
                 [&tape, kept_x, kept_rows, of_rows = rows.elements](Tensor gradient) -> Gradients {
                     tape.load(kept_rows);
                     Tensor product;
                     Tensor sums;
                     if (kept_x) {
                         // −gradient · ((x ÷ rows) ÷ rows), made before that of x.
                         tape.load(kept_x);
                         {
                             const Tensor quotient = tape.emptyLike(gradient);
                             const Tensor again = tape.emptyLike(gradient);
                             const Tensor negated = tape.emptyLike(gradient);
                             product = tape.emptyLike(gradient);
                         }
                         sums = tape.empty(of_rows, gradient.type);
                     }
                     Gradients out;
                     out.push_back(tape.emptyLike(gradient));
                     out.push_back(std::move(sums));
                     return out;
                 });
    return made;
}

Tensor ownSoftmax(Tape& tape, const Tensor& x, std::int64_t rows, bool repeats)
{
    const Tensor shifted = subtract(tape, x, largestOfRows(tape, x, rows));
    const Tensor powers = exponential(tape, shifted);
    const Tensor summed = repeats ? exponential(tape, shifted) : powers;
    return divide(tape, powers, sumOfRows(tape, summed, rows));
}

Tensor ownCrossEntropy(Tape& tape, const Tensor& logits, const Tensor& labels)
{
    const auto as_logits = [&tape](const Tensor& made) {
        tape.recorder().label(made.memory, label::Bucket::temporary, label::Role::logits);
        return made;
    };
    const std::int64_t rows = labels.elements;
    const Tensor shifted = as_logits(subtract(tape, logits, largestOfRows(tape, logits, rows)));
    const Tensor powers = as_logits(exponential(tape, shifted));
    const Tensor sums = logarithm(tape, sumOfRows(tape, powers, rows));
    const Tensor likelihoods = as_logits(subtract(tape, shifted, sums));
    const Tensor chosen = gather(tape, likelihoods, rows, labels);
    return meanOfRows(tape, negative(tape, chosen), 1);
}

} // namespace tidemark::walk
