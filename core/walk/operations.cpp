// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/operations.h"

#include <algorithm>

namespace tidemark::walk {
namespace {

/// What a gradient handed to an input becomes: in the input's type (validate_outputs casts).
Tensor inTypeOf(Tape& tape, Tensor gradient, Dtype type)
{
    if (gradient.type == type) {
        return gradient;
    }
    Tensor made = tape.empty(gradient.elements, type);
    made.is_contiguous = gradient.is_contiguous;
    return made;
}

/// An elementwise function of x that saves nothing.
Tensor plainFunction(Tape& tape, const Tensor& x)
{
    Tensor made = tape.emptyLike(x);
    made.is_contiguous = x.is_contiguous;
    tape.connect(made, {&x}, [&tape](Tensor gradient) -> Gradients {
        Tensor out = tape.emptyLike(gradient);
        out.is_contiguous = gradient.is_contiguous;
        return {std::move(out)};
    });
    return made;
}

/// One whose backward needs its result.
Tensor functionOfItsResult(Tape& tape, const Tensor& x)
{
    Tensor made = tape.emptyLike(x);
    const Saved kept = x.needsGradient() ? tape.save(made) : nullptr;
    tape.connect(made, {&x}, [&tape, kept](Tensor gradient) -> Gradients {
        tape.load(kept);
        return {tape.emptyLike(gradient)};
    });
    return made;
}

Tensor viewOf(const Tensor& x, std::int64_t elements, bool contiguous)
{
    Tensor made;
    made.memory = x.memory;
    made.base = x.memory;
    made.elements = elements;
    made.type = x.type;
    made.is_contiguous = contiguous;
    return made;
}

Tensor copyOf(Tape& tape, const Tensor& x)
{
    return tape.empty(x.elements, x.type);
}

} // namespace

Tensor view(Tape& tape, const Tensor& x, std::int64_t elements, bool contiguous)
{
    Tensor made = viewOf(x, elements, contiguous);
    tape.connect(made, {&x}, [all = x.elements](Tensor gradient) -> Gradients {
        return {viewOf(gradient, all, gradient.is_contiguous)};
    });
    return made;
}

Tensor splitHeads(Tape& tape, const Tensor& x)
{
    Tensor made = viewOf(x, x.elements, false);
    tape.connect(made, {&x}, [&tape](Tensor gradient) -> Gradients {
        if (gradient.is_contiguous) {
            return {copyOf(tape, gradient)};
        }
        return {viewOf(gradient, gradient.elements, true)};
    });
    return made;
}

Tensor mergeHeads(Tape& tape, const Tensor& x)
{
    Tensor made = x.is_contiguous ? copyOf(tape, x) : viewOf(x, x.elements, true);
    const bool copies = x.is_contiguous;
    tape.connect(made, {&x}, [&tape, copies](Tensor gradient) -> Gradients {
        // The gradient is in the order of the tokens; batches of matrices want that of the heads.
        if (copies) {
            return {copyOf(tape, gradient)};
        }
        return {viewOf(gradient, gradient.elements, false)};
    });
    return made;
}

Tensor contiguous(Tape& tape, const Tensor& x)
{
    if (x.is_contiguous) {
        return x;
    }
    Tensor made = copyOf(tape, x);
    tape.connect(made, {&x}, [](Tensor gradient) -> Gradients { return {std::move(gradient)}; });
    return made;
}

Tensor slice(Tape& tape, const Tensor& x, std::int64_t elements)
{
    Tensor made = viewOf(x, elements, false);
    tape.connect(made, {&x}, [&tape, all = x.elements](Tensor gradient) -> Gradients {
        return {tape.empty(all, gradient.type)};
    });
    return made;
}

std::vector<Tensor> split(Tape& tape, const Tensor& x, const std::vector<std::int64_t>& elements)
{
    // One SplitBackward takes the gradients of all parts: they wait here until the last has come.
    const auto arrived = std::make_shared<Gradients>();
    Tensor joint = viewOf(x, x.elements, false);
    tape.connect(joint, {&x},
                 [&tape, arrived, all = x.elements, type = x.type](Tensor) -> Gradients {
                     Tensor made = tape.empty(all, type);
                     arrived->clear();
                     return {std::move(made)};
                 });
    std::vector<Tensor> parts;
    for (const std::int64_t size : elements) {
        Tensor part = viewOf(x, size, false);
        tape.connect(part, {&joint}, [arrived](Tensor gradient) -> Gradients {
            arrived->push_back(std::move(gradient));
            return {Tensor()};
        });
        parts.push_back(std::move(part));
    }
    return parts;
}

Tensor cast(Tape& tape, const Tensor& x, Dtype type)
{
    if (x.type == type) {
        return x;
    }
    Tensor made = tape.empty(x.elements, type);
    made.is_contiguous = x.is_contiguous;
    tape.connect(made, {&x}, [&tape, from = x.type](Tensor gradient) -> Gradients {
        return {inTypeOf(tape, std::move(gradient), from)};
    });
    return made;
}

Tensor add(Tape& tape, const Tensor& a, const Tensor& b)
{
    Tensor made = tape.empty(std::max(a.elements, b.elements), promoted(a.type, b.type));
    made.is_contiguous = a.is_contiguous;
    struct Input {
        bool needs;
        std::int64_t elements;
        Dtype type;
    };
    const Input inputs[] = {{a.needsGradient(), a.elements, a.type},
                            {b.needsGradient(), b.elements, b.type}};
    tape.connect(made, {&a, &b},
                 [&tape, first = inputs[0], second = inputs[1]](Tensor gradient) -> Gradients {
                     Gradients out;
                     for (const Input& input : {first, second}) {
                         if (!input.needs) {
                             out.emplace_back();
                         } else if (input.elements < gradient.elements) {
                             out.push_back(tape.empty(input.elements, input.type));
                         } else {
                             out.push_back(inTypeOf(tape, gradient, input.type));
                         }
                     }
                     return out;
                 });
    return made;
}

Tensor multiply(Tape& tape, const Tensor& a, const Tensor& b)
{
    // self is saved for the gradient of other, and the other way round.
    Saved kept_a = b.needsGradient() ? tape.save(a) : nullptr;
    Saved kept_b = a.needsGradient() ? tape.save(b) : nullptr;
    Tensor made = tape.empty(std::max(a.elements, b.elements), promoted(a.type, b.type));
    made.is_contiguous = a.elements >= b.elements ? a.is_contiguous : b.is_contiguous;
    struct Input {
        std::int64_t elements;
        Dtype type;
        bool is_weight;
    };
    tape.connect(
        made, {&a, &b},
        [&tape, kept_a, kept_b, first = Input{a.elements, a.type, a.parameter != 0},
         second = Input{b.elements, b.type, b.parameter != 0}](Tensor gradient) -> Gradients {
            // Both products are made before the engine adds up what was repeated.
            const auto product = [&](const Saved& kept) {
                Tensor made_here;
                if (kept) {
                    tape.load(kept);
                    made_here = tape.emptyLike(gradient);
                    made_here.is_contiguous = gradient.is_contiguous;
                }
                return made_here;
            };
            const auto fitted = [&](Tensor whole, const Input& input) {
                if (!whole.isThere()) {
                    return whole;
                }
                if (input.elements < whole.elements) {
                    Tensor summed = tape.empty(input.elements, whole.type);
                    if (input.is_weight) {
                        partialSums(tape, whole.elements / input.elements, input.elements);
                    }
                    whole = std::move(summed);
                }
                return inTypeOf(tape, std::move(whole), input.type);
            };
            Tensor of_b = product(kept_a);
            Tensor of_a = product(kept_b);
            of_a = fitted(std::move(of_a), first);
            of_b = fitted(std::move(of_b), second);
            Gradients out;
            out.push_back(std::move(of_a));
            out.push_back(std::move(of_b));
            return out;
        });
    return made;
}

Tensor scale(Tape& tape, const Tensor& x)
{
    return plainFunction(tape, x);
}

Tensor shift(Tape& tape, const Tensor& x)
{
    Tensor made = tape.emptyLike(x);
    made.is_contiguous = x.is_contiguous;
    tape.connect(made, {&x}, [](Tensor gradient) -> Gradients { return {std::move(gradient)}; });
    return made;
}

Tensor negative(Tape& tape, const Tensor& x)
{
    return plainFunction(tape, x);
}

Tensor power(Tape& tape, const Tensor& x)
{
    const Saved kept = x.needsGradient() ? tape.save(x) : nullptr;
    Tensor made = tape.emptyLike(x);
    tape.connect(made, {&x}, [&tape, kept](Tensor gradient) -> Gradients {
        // grad · (exponent · self.pow(exponent − 1))
        tape.load(kept);
        const Tensor lower = tape.emptyLike(gradient);
        const Tensor scaled = tape.emptyLike(gradient);
        return {tape.emptyLike(gradient)};
    });
    return made;
}

Tensor meanOfRows(Tape& tape, const Tensor& x, std::int64_t rows)
{
    Tensor made = tape.empty(rows, x.type);
    tape.connect(made, {&x}, [&tape, all = x.elements](Tensor gradient) -> Gradients {
        return {tape.empty(all, gradient.type)};
    });
    return made;
}

Tensor reciprocalRoot(Tape& tape, const Tensor& x)
{
    Tensor made = tape.emptyLike(x);
    const Saved kept = x.needsGradient() ? tape.save(made) : nullptr;
    tape.connect(made, {&x}, [&tape, kept](Tensor gradient) -> Gradients {
        tape.load(kept);
        const Tensor cubed = tape.emptyLike(gradient);
        const Tensor scaled = tape.emptyLike(gradient);
        return {tape.emptyLike(gradient)};
    });
    return made;
}

Tensor concatenate(Tape& tape, const std::vector<Tensor>& parts)
{
    std::int64_t all = 0;
    std::vector<const Tensor*> inputs;
    std::vector<std::int64_t> sizes;
    for (const Tensor& part : parts) {
        all += part.elements;
        inputs.push_back(&part);
        sizes.push_back(part.elements);
    }
    Tensor made = tape.empty(all, parts.front().type);
    tape.connect(made, inputs, [sizes](Tensor gradient) -> Gradients {
        Gradients out;
        for (const std::int64_t size : sizes) {
            out.push_back(viewOf(gradient, size, false));
        }
        return out;
    });
    return made;
}

Tensor activation(Tape& tape, const Tensor& x)
{
    const Saved kept = x.needsGradient() ? tape.save(x) : nullptr;
    Tensor made = tape.emptyLike(x);
    tape.connect(made, {&x}, [&tape, kept](Tensor gradient) -> Gradients {
        tape.load(kept);
        return {tape.emptyLike(gradient)};
    });
    return made;
}

Tensor tanh(Tape& tape, const Tensor& x)
{
    return functionOfItsResult(tape, x);
}

Tensor relu(Tape& tape, const Tensor& x)
{
    return functionOfItsResult(tape, x);
}

Tensor sigmoid(Tape& tape, const Tensor& x)
{
    return functionOfItsResult(tape, x);
}

Tensor softmax(Tape& tape, const Tensor& x)
{
    const InModule running(tape.recorder(), kFunctional, "softmax");
    return functionOfItsResult(tape, x);
}

Tensor dropout(Tape& tape, const Tensor& x)
{
    const InModule running(tape.recorder(), kFunctional, "dropout");
    if (tape.target() == Target::cpu) {
        const Tensor noise = tape.emptyLike(x);
        return multiply(tape, x, noise);
    }
    Tensor made = tape.emptyLike(x);
    made.is_contiguous = x.is_contiguous;
    const Tensor mask = tape.empty(x.elements, Dtype::boolean);
    const Saved kept = x.needsGradient() ? tape.save(mask) : nullptr;
    tape.connect(made, {&x}, [&tape, kept](Tensor gradient) -> Gradients {
        tape.load(kept);
        return {tape.emptyLike(gradient)};
    });
    return made;
}

Tensor gather(Tape& tape, const Tensor& x, std::int64_t elements, const Tensor& index)
{
    const Saved kept = x.needsGradient() ? tape.save(index) : nullptr;
    Tensor made = tape.empty(elements, x.type);
    tape.connect(made, {&x}, [&tape, kept, all = x.elements](Tensor gradient) -> Gradients {
        tape.load(kept);
        return {tape.empty(all, gradient.type)};
    });
    return made;
}

Tensor choose(Tape& tape, const Tensor& mask, const Tensor& x, std::int64_t elements)
{
    const Saved kept = x.needsGradient() ? tape.save(mask) : nullptr;
    Tensor made = tape.empty(elements, x.type);
    tape.connect(made, {&x}, [&tape, kept, all = x.elements](Tensor gradient) -> Gradients {
        tape.load(kept);
        Tensor masked = tape.emptyLike(gradient);
        return {masked.elements > all ? tape.empty(all, gradient.type) : std::move(masked)};
    });
    return made;
}

Tensor repeat(Tape& tape, const Tensor& x, std::int64_t elements)
{
    Tensor made = tape.empty(elements, x.type);
    tape.connect(made, {&x}, [&tape, all = x.elements](Tensor gradient) -> Gradients {
        return {tape.empty(all, gradient.type)};
    });
    return made;
}

Tensor sum(Tape& tape, const Tensor& x, std::int64_t elements)
{
    Tensor made = tape.empty(elements, x.type);
    tape.connect(made, {&x}, [&tape, all = x.elements](Tensor gradient) -> Gradients {
        return {tape.empty(all, gradient.type)}; // Expanded, then copied by a reshape.
    });
    return made;
}

} // namespace tidemark::walk
