// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/operations.h"

namespace tidemark::walk {
namespace {

/// dequantize_4bit: of double quantization the scales first, in 32 bits, with their mean added.
Tensor widened(Tape& tape, const QuantizedMatrix& matrix)
{
    const std::int64_t values = matrix.rows * matrix.columns;
    Tensor scales;
    if (matrix.format == Quantization::nf4_double) {
        scales = tape.empty((values + kValuesPerScale - 1) / kValuesPerScale, Dtype::fp32);
    }
    return tape.empty(values, Dtype::bf16);
}

Tensor in4Bits(Tape& tape, const Tensor& x, const QuantizedMatrix& matrix, const Tensor& offset)
{
    const Tensor weight = widened(tape, matrix);
    Tensor made = tape.empty(x.elements / matrix.columns * matrix.rows, Dtype::bf16);
    tape.connect(made, {&x, &offset},
                 [&tape, matrix, all = x.elements](Tensor gradient) -> Gradients {
                     const Tensor again = widened(tape, matrix);
                     return {tape.empty(all, gradient.type), Tensor()};
                 });
    return made;
}

Tensor in8Bits(Tape& tape, const Tensor& x, const QuantizedMatrix& matrix, const Tensor& offset)
{
    const std::int64_t rows = x.elements / matrix.columns;
    const Saved kept = x.needsGradient() ? tape.save(x) : nullptr;
    Tensor narrow;
    Tensor scales;
    {
        const Tensor halves = tape.empty(x.elements, Dtype::bf16); // In fp16, as wide.
        scales = tape.empty(rows, Dtype::fp32);
        narrow = tape.empty(x.elements, Dtype::boolean); // A byte each.
        // Which columns have values above the threshold: |A| and the comparison.
        const Tensor magnitudes = tape.emptyLike(halves);
        const Tensor outliers = tape.empty(x.elements, Dtype::boolean);
    }
    Tensor made;
    {
        const Tensor sums = tape.empty(rows * matrix.rows, Dtype::fp32); // int32
        made = tape.empty(rows * matrix.rows, x.type);
    }
    tape.connect(made, {&x, &offset},
                 [&tape, kept, matrix, all = x.elements](Tensor gradient) -> Gradients {
                     tape.load(kept);
                     const Tensor weight = tape.empty(matrix.rows * matrix.columns, gradient.type);
                     return {tape.empty(all, gradient.type), Tensor()};
                 });
    return made;
}

} // namespace

Tensor quantizedLinear(Tape& tape, const Tensor& x, const QuantizedMatrix& matrix,
                       const Tensor& bias)
{
    if (matrix.format == Quantization::int8) {
        return in8Bits(tape, x, matrix, bias);
    }
    // Linear4bit computes in bnb_4bit_compute_dtype and hands out what came in.
    const Tensor rows = cast(tape, x, Dtype::bf16);
    const Tensor offset = bias.isThere() ? cast(tape, bias, Dtype::bf16) : Tensor();
    return cast(tape, in4Bits(tape, rows, matrix, offset), x.type);
}

} // namespace tidemark::walk
