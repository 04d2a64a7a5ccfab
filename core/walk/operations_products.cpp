// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/operations.h"

namespace tidemark::walk {
namespace {

/// A weight as a product reads it: under autocast in bf16. The cast of one that is trained is kept
/// until autocast ends; one that is frozen is cast each time (cached_cast in autocast_mode.cpp).
Tensor operandWeight(Tape& tape, const Tensor& weight)
{
    if (!tape.autocasts || weight.type != Dtype::fp32 || !weight.isThere()) {
        return weight;
    }
    const bool is_kept = weight.needsGradient() || tape.keeps_all_casts;
    if (const auto kept = tape.casts.find(weight.parameter); is_kept && kept != tape.casts.end()) {
        return kept->second;
    }
    Tensor made = cast(tape, weight, Dtype::bf16);
    tape.recorder().label(made.memory, label::Bucket::activation, label::Role::weight_cast);
    if (is_kept && (tape.is_grad_enabled || tape.keeps_all_casts)) {
        tape.casts[weight.parameter] = made;
    }
    return made;
}

/// What the backward of a product of two matrices needs.
struct ProductKept {
    Saved a; ///< For the gradient of b.
    Saved b; ///< For the gradient of a.
    std::int64_t a_elements;
    std::int64_t b_elements;
};

ProductKept keep(Tape& tape, const Tensor& a, const Tensor& b)
{
    ProductKept kept{nullptr, nullptr, a.elements, b.elements};
    if (a.needsGradient()) {
        kept.b = tape.save(b);
    }
    if (b.needsGradient()) {
        kept.a = tape.save(a);
    }
    return kept;
}

/// Of a and b: that of b is made first.
Gradients gradientsOf(Tape& tape, const ProductKept& kept, Dtype type)
{
    Tensor of_b;
    Tensor of_a;
    if (kept.a) {
        tape.load(kept.a);
        of_b = tape.empty(kept.b_elements, type);
        tape.recorder().noteProduct();
    }
    if (kept.b) {
        tape.load(kept.b);
        of_a = tape.empty(kept.a_elements, type);
        tape.recorder().noteProduct();
    }
    Gradients gradients;
    gradients.push_back(std::move(of_a));
    gradients.push_back(std::move(of_b));
    return gradients;
}

} // namespace

Tensor operand(Tape& tape, const Tensor& x)
{
    return tape.autocasts ? cast(tape, x, Dtype::bf16) : x;
}

Tensor linear(Tape& tape, const Tensor& x, const Tensor& weight, std::int64_t out,
              const Tensor& bias)
{
    const Tensor matrix = operandWeight(tape, weight);
    const Tensor rows = operand(tape, x);
    const Tensor offset = bias.isThere() ? operandWeight(tape, bias) : Tensor();
    const ProductKept kept = keep(tape, rows, matrix);
    Tensor made = tape.empty(out, rows.type);
    tape.recorder().noteProduct();
    const std::int64_t bias_elements = offset.needsGradient() ? offset.elements : 0;
    const bool is_addmm = bias.isThere();
    tape.connect(made, {&rows, &matrix, &offset},
                 [&tape, kept, bias_elements, is_addmm](Tensor gradient) -> Gradients {
                     // mm: mat2, self. addmm: mat1, mat2, self.
                     Tensor of_rows;
                     Tensor of_matrix;
                     const auto make_of_rows = [&] {
                         if (kept.b) {
                             tape.load(kept.b);
                             of_rows = tape.empty(kept.a_elements, gradient.type);
                             tape.recorder().noteProduct();
                             of_rows.base = of_rows.memory; // Seen with its batch again.
                         }
                     };
                     if (is_addmm) {
                         make_of_rows();
                     }
                     if (kept.a) {
                         tape.load(kept.a);
                         of_matrix = tape.empty(kept.b_elements, gradient.type);
                         tape.recorder().noteProduct();
                     }
                     if (!is_addmm) {
                         make_of_rows();
                     }
                     Gradients out_gradients;
                     out_gradients.push_back(std::move(of_rows));
                     out_gradients.push_back(std::move(of_matrix));
                     out_gradients.push_back(
                         bias_elements > 0 ? tape.empty(bias_elements, gradient.type) : Tensor());
                     if (bias_elements > 0) {
                         partialSums(tape, gradient.elements / bias_elements, bias_elements);
                     }
                     return out_gradients;
                 });
    return made;
}

Tensor transposedKeys(Tape& tape, const Tensor& k)
{
    Tensor made = view(tape, k, k.elements, k.is_contiguous);
    if (!made.needsGradient()) {
        return made;
    }
    // Heads and width of the gradient lie so that a reshape to tokens needs no copy.
    const auto plain = made.node->run;
    made.node->run = [plain](Tensor gradient) {
        Gradients out = plain(std::move(gradient));
        out.front().is_contiguous = false;
        return out;
    };
    return made;
}

Tensor batchedProduct(Tape& tape, const Tensor& a, const Tensor& b, std::int64_t out)
{
    const Tensor first = contiguous(tape, operand(tape, a));
    const Tensor second = contiguous(tape, operand(tape, b));
    const ProductKept kept = keep(tape, first, second);
    Tensor made = tape.empty(out, first.type);
    tape.recorder().noteProduct();
    tape.connect(made, {&first, &second},
                 [&tape, kept](Tensor gradient) { return gradientsOf(tape, kept, gradient.type); });
    return made;
}

Tensor groupedProduct(Tape& tape, const Tensor& x, const Tensor& weight, std::int64_t out)
{
    // Autocast does not know grouped_mm: the rows are cast to the weight's type.
    const Tensor rows = cast(tape, x, weight.type);
    const ProductKept kept = keep(tape, rows, weight);
    Tensor made = tape.empty(out, weight.type);
    tape.connect(made, {&rows, &weight},
                 [&tape, kept](Tensor gradient) { return gradientsOf(tape, kept, gradient.type); });
    return made;
}

Tensor layerNorm(Tape& tape, const Tensor& x, const Tensor& weight, const Tensor& bias,
                 std::int64_t rows)
{
    // Autocast widens the input on CUDA only.
    const bool widens = tape.autocasts && tape.target() == Target::cuda;
    const Tensor input = widens ? cast(tape, x, Dtype::fp32) : x;
    const bool needs = tape.is_grad_enabled && (input.needsGradient() || weight.needsGradient());
    const Saved kept_input = needs ? tape.save(input) : nullptr;
    const Saved kept_weight = needs && weight.isThere() ? tape.save(weight) : nullptr;
    Tensor made = tape.emptyLike(input);
    // Mean and reciprocal deviation of each row; in fp32 on CUDA whatever x is.
    const Dtype type = tape.target() == Target::cuda ? Dtype::fp32 : input.type;
    const Tensor mean = tape.empty(rows, type);
    const Tensor deviation = tape.empty(rows, type);
    const Saved kept_mean = needs ? tape.save(mean) : nullptr;
    const Saved kept_deviation = needs ? tape.save(deviation) : nullptr;
    struct Needs {
        bool input;
        bool weight;
        std::int64_t width;
    };
    tape.connect(made, {&input, &weight, &bias},
                 [&tape, kept_input, kept_weight, kept_mean, kept_deviation,
                  wants = Needs{input.needsGradient(), weight.needsGradient(), weight.elements}](
                     Tensor gradient) -> Gradients {
                     tape.load(kept_input);
                     Gradients out(3);
                     if (wants.input) {
                         out[0] = tape.emptyLike(gradient);
                     }
                     if (wants.weight) {
                         out[1] = tape.empty(wants.width, gradient.type);
                         out[2] = tape.empty(wants.width, gradient.type);
                     }
                     return out;
                 });
    return made;
}

Tensor embedding(Tape& tape, const Tensor& weight, const Tensor& ids, std::int64_t width)
{
    const InModule running(tape.recorder(), kFunctional, "embedding");
    const Saved kept = weight.needsGradient() ? tape.save(ids) : nullptr;
    Tensor made = tape.empty(ids.elements * width, weight.type);
    tape.connect(made, {&weight},
                 [&tape, kept, all = weight.elements](Tensor gradient) -> Gradients {
                     tape.load(kept);
                     return {tape.empty(all, gradient.type)}; // Dense, of all the vocabulary.
                 });
    return made;
}

} // namespace tidemark::walk
