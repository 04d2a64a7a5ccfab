// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/network.h"

#include "core/walk/collectives.h"
#include "core/walk/operations.h"

namespace tidemark::walk {
namespace {

/// The tensor itself, with something to do when its gradient comes by.
Tensor watched(Tape& tape, const Tensor& x, std::function<void()> action)
{
    Tensor made = x;
    tape.connect(made, {&x}, [action = std::move(action)](Tensor gradient) -> Gradients {
        action();
        return {std::move(gradient)};
    });
    return made;
}

} // namespace

Tensor Network::throughLayer(int unit, const std::function<Tensor(Tensor)>& layer, const Tensor& x)
{
    Tape& tape = m_context.tape;
    const InModule running(tape.recorder(), layerName(unit));
    const auto run = [&](const Tensor& input) {
        return m_context.run.checkpoints ? tape.checkpoint(layer, input) : layer(input);
    };
    if (!m_context.run.gathersWeights()) {
        return run(x);
    }
    const auto held = std::make_shared<Memory>();
    Parameters& parameters = m_context.parameters;
    const Memory now = parameters.gathered(unit);
    const Tensor input = watched(tape, x, [held, &parameters, unit] {
        *held = nullptr;
        parameters.reduceGradients(unit);
    });
    const Tensor output = run(input);
    return watched(tape, output, [held, &parameters, unit] { *held = parameters.gathered(unit); });
}

Tensor Network::lossOf(const Tensor& hidden, const Parameter& head, const Tensor& bias,
                       const Batch& batch)
{
    Tape& tape = m_context.tape;
    const ModelShape& model = m_context.model;
    const InModule running(tape.recorder(), kHead);
    const Tensor rows = enterParts(m_context, hidden);
    if (m_context.run.fuses_loss && m_context.run.mode == Mode::train) {
        return fusedHeadLoss(tape, rows, head.tensor, model.wordWidth(), model.vocabulary);
    }
    const auto as_logits = [&](const Tensor& made) {
        tape.recorder().label(made.memory, label::Bucket::temporary, label::Role::logits);
    };
    // BART adds a buffer behind the product; of the others a bias is a part of it.
    const bool adds = model.architecture == Architecture::bart;
    Tensor logits =
        linear(tape, rows, head.tensor, rows.elements / model.wordWidth() * model.vocabulary,
               adds ? Tensor() : bias);
    as_logits(logits);
    if (adds) {
        logits = add(tape, logits, bias);
        as_logits(logits);
    }
    if (model.scales_logits) {
        logits = scale(tape, logits);
        as_logits(logits);
    }
    if (model.caps_logits) {
        for (const auto function : {scale, tanh, scale}) {
            logits = function(tape, logits);
            as_logits(logits);
        }
    }
    if (m_context.run.own.loop) {
        m_logits = logits.memory;
        if (m_context.run.mode == Mode::forward) {
            return logits; // The model alone; who wants a loss computes it.
        }
    }
    if (m_context.run.mode == Mode::inference) {
        return {};
    }
    Tensor loss = languageLoss(m_context, logits, batch.labels);
    if (tape.autocasts && logits.type != Dtype::fp32 && m_context.run.loop != Loop::plain) {
        as_logits(tape.empty(logits.elements, Dtype::fp32)); // accelerate hands them out in fp32.
    }
    return loss;
}

std::unique_ptr<Network> makeNetwork(const Context& context)
{
    switch (context.model.architecture) {
    case Architecture::decoder:
        return makeDecoder(context);
    case Architecture::gpt2:
        return makeGpt2(context);
    case Architecture::opt:
        return makeOpt(context);
    case Architecture::bloom:
        return makeBloom(context);
    case Architecture::bert:
        return makeBert(context);
    case Architecture::modernbert:
        return makeModernBert(context);
    case Architecture::bart:
        return makeBart(context);
    case Architecture::t5:
        return makeT5(context);
    case Architecture::vit:
        break;
    }
    return makeVit(context);
}

} // namespace tidemark::walk
