// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/operations.h"

#include <algorithm>
#include <bit>

namespace tidemark::walk {

Tensor crossEntropy(Tape& tape, const Tensor& logits, const Tensor& labels)
{
    const InModule running(tape.recorder(), kFunctional, "cross_entropy");
    Tensor likelihoods = tape.emptyLike(logits);
    tape.recorder().label(likelihoods.memory, label::Bucket::activation, label::Role::logits);
    const Saved kept = logits.needsGradient() ? tape.save(likelihoods) : nullptr;
    const auto as_logits = [&tape](const Tensor& made) {
        tape.recorder().label(made.memory, label::Bucket::temporary, label::Role::logits);
    };
    tape.connect(likelihoods, {&logits}, [&tape, kept, as_logits](Tensor gradient) -> Gradients {
        tape.load(kept);
        Tensor made = tape.emptyLike(gradient);
        as_logits(made);
        return {std::move(made)};
    });
    const Tensor read =
        tape.autocasts ? cast(tape, likelihoods, Dtype::fp32) : likelihoods; // nll_loss's input
    if (read.memory != likelihoods.memory) {
        tape.recorder().label(read.memory, label::Bucket::activation, label::Role::logits);
    }
    const Saved kept_labels = logits.needsGradient() ? tape.save(labels) : nullptr;
    const Saved kept_input = logits.needsGradient() ? tape.save(read) : nullptr;
    Tensor loss = tape.empty(1, Dtype::fp32);
    tape.connect(loss, {&read},
                 [&tape, kept_labels, kept_input, as_logits, all = read.elements,
                  type = read.type](Tensor) -> Gradients {
                     tape.load(kept_labels);
                     Tensor made = tape.empty(all, type);
                     as_logits(made);
                     return {std::move(made)};
                 });
    return loss;
}

Tensor fusedHeadLoss(Tape& tape, const Tensor& hidden, const Tensor& weight, std::int64_t width,
                     std::int64_t vocabulary)
{
    const Tensor matrix = tape.autocasts ? cast(tape, weight, Dtype::bf16) : weight;
    const Tensor rows = tape.autocasts ? cast(tape, hidden, Dtype::bf16) : hidden;
    // As many parts as the vocabulary is larger than the hidden size, of a power of two of rows.
    const std::int64_t tokens = rows.elements / width;
    const std::int64_t parts = std::max<std::int64_t>(1, (vocabulary + width - 1) / width);
    const auto share = static_cast<std::uint64_t>((tokens + parts - 1) / parts);
    const auto part_rows = std::min(tokens, static_cast<std::int64_t>(std::bit_ceil(share)));
    Tensor of_weight = matrix.needsGradient() ? tape.emptyLike(matrix) : Tensor();
    Tensor of_rows = rows.needsGradient() ? tape.emptyLike(rows) : Tensor();
    for (std::int64_t done = 0; done < tokens; done += part_rows) {
        const Tensor logits = tape.empty(part_rows * vocabulary, rows.type);
        tape.recorder().label(logits.memory, label::Bucket::temporary, label::Role::logits);
        if (of_weight.isThere()) {
            const Tensor part = tape.emptyLike(matrix);
        }
    }
    Tensor loss = tape.empty(1, Dtype::fp32);
    const Saved kept_weight = of_weight.isThere() ? tape.save(of_weight) : nullptr;
    const Saved kept_rows = of_rows.isThere() ? tape.save(of_rows) : nullptr;
    const auto handed = [&tape](const Saved& kept, std::int64_t elements, Dtype type) {
        Tensor made;
        if (kept) {
            made.memory = tape.load(kept);
            made.elements = elements;
            made.type = type;
        }
        return made;
    };
    tape.connect(loss, {&rows, &matrix},
                 [kept_weight, kept_rows, handed, row_elements = rows.elements,
                  weight_elements = matrix.elements, type = rows.type](Tensor) -> Gradients {
                     Gradients out;
                     out.push_back(handed(kept_rows, row_elements, type));
                     out.push_back(handed(kept_weight, weight_elements, type));
                     return out;
                 });
    return loss;
}

} // namespace tidemark::walk
