// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/operations.h"

namespace tidemark::walk {
namespace {

constexpr std::int64_t kRowsOfABlock = 128;
constexpr std::int64_t kRowsOfSums = 32;
constexpr std::int64_t kWidthStep = 32;
constexpr std::int64_t kWideHead = 192;
constexpr std::int64_t kWidestHead = 256;

std::int64_t roundedUp(std::int64_t value, std::int64_t step)
{
    return (value + step - 1) / step * step;
}

/// What the backward of an attention kernel works with beside its results. Flash: softmax_d,
/// dq_accum, and dk and dv of all heads where they are shared (mha_bwd of flash_api.cpp);
/// memory-efficient: delta (attention_backward.cu).
std::vector<Tensor> workingMemory(Tape& tape, const FusedAttention& how, Dtype type)
{
    std::vector<Tensor> made;
    if (tape.target() == Target::cpu) {
        return made;
    }
    const bool is_flash = how.kernel == Kernel::flash;
    const std::int64_t rows =
        how.batch * (is_flash ? roundedUp(how.sequence, kRowsOfABlock) : how.sequence);
    made.push_back(tape.empty(rows * how.heads, Dtype::fp32));
    if (is_flash) {
        const std::int64_t width =
            how.head_width <= kWideHead ? roundedUp(how.head_width, kWidthStep) : kWidestHead;
        made.push_back(tape.empty(rows * how.heads * width, Dtype::fp32));
        if (how.heads != how.key_heads) {
            const std::int64_t all = how.batch * how.sequence * how.heads * how.head_width;
            made.push_back(tape.empty(all, type));
            made.push_back(tape.empty(all, type));
        }
    }
    return made;
}

/// Keys and values of the whole sequence, and in backward their gradients before they are summed
/// over the GPUs: torch.distributed.tensor.experimental.context_parallel as it gathers by default.
std::vector<Tensor> gatheredKeys(Tape& tape, const FusedAttention& how, std::int64_t keys,
                                 Dtype type, int tensors)
{
    std::vector<Tensor> made;
    for (int i = 0; i < tensors && how.context > 1; ++i) {
        made.push_back(tape.empty(keys * how.context, type));
        tape.recorder().label(made.back().memory, label::Bucket::communication);
    }
    return made;
}

} // namespace

Tensor fusedAttention(Tape& tape, const Tensor& q, const Tensor& k, const Tensor& v,
                      const FusedAttention& how)
{
    const Tensor query = operand(tape, q);
    const Tensor key = operand(tape, k);
    const Tensor value = operand(tape, v);
    const bool needs = tape.is_grad_enabled
        && (query.needsGradient() || key.needsGradient() || value.needsGradient());
    std::vector<Saved> saved;
    const auto keep = [&](const Tensor& t) {
        if (needs) {
            saved.push_back(tape.save(t));
        }
    };
    keep(query);
    keep(key);
    keep(value);
    if (how.mask > 0) {
        keep(tape.empty(how.mask, query.type)); // Truth values become numbers.
    }
    const Tensor bias = how.bias.isThere() ? operand(tape, how.bias) : Tensor();
    if (bias.isThere()) {
        keep(bias);
    }
    const std::vector<Tensor> all_keys = gatheredKeys(tape, how, key.elements, key.type, 2);
    Tensor made = tape.emptyLike(query);
    made.is_contiguous = query.is_contiguous; // In the order that the queries have.
    // The logarithm of the sum of exponentials, of each row and head; the memory-efficient kernel
    // has its rows in groups (kAlignLSE in kernel_forward.h).
    const bool groups = how.kernel == Kernel::efficient;
    const std::int64_t rows = groups ? roundedUp(how.sequence, kRowsOfSums) : how.sequence;
    const Tensor sums = tape.empty(how.batch * rows * how.heads, Dtype::fp32);
    keep(made);
    keep(sums);
    const std::vector<std::pair<bool, std::int64_t>> inputs{
        {query.needsGradient(), query.elements},
        {key.needsGradient(), key.elements},
        {value.needsGradient(), value.elements}};
    const std::int64_t bias_elements = bias.needsGradient() ? bias.elements : 0;
    tape.connect(made, {&query, &key, &value, &bias},
                 [&tape, saved, how, inputs, bias_elements](Tensor gradient) -> Gradients {
                     tape.load(saved.front());
                     const std::vector<Tensor> whole_keys =
                         gatheredKeys(tape, how, inputs[1].second, gradient.type, 4);
                     Gradients out;
                     for (const auto& input : inputs) {
                         out.push_back(tape.empty(input.second, gradient.type));
                         out.back().is_contiguous = false;
                     }
                     const std::vector<Tensor> working = workingMemory(tape, how, gradient.type);
                     for (std::size_t i = 0; i < inputs.size(); ++i) {
                         if (!inputs[i].first) {
                             out[i] = {}; // The kernel makes all three.
                         }
                     }
                     out.emplace_back();
                     if (bias_elements > 0) {
                         // Of all samples, and then their sum.
                         const Tensor of_scores = tape.empty(how.scores, gradient.type);
                         out.back() = tape.empty(bias_elements, gradient.type);
                     }
                     return out;
                 });
    return made;
}

} // namespace tidemark::walk
