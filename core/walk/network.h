// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/layers.h"

#include <functional>
#include <memory>

namespace tidemark::walk {

/// A batch as the data loader hands it over.
struct Batch {
    Tensor ids;
    Tensor labels;
    Tensor mask;
    /// Of a stage behind the first, what the one before handed on.
    Tensor received{};
};

/// A model with its language modelling head. What its context refers to outlives it.
class Network {
public:
    explicit Network(const Context& context)
        : m_context(context)
    {
    }
    virtual ~Network() = default;
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    /// The loss of one batch, of a stage before the last the hidden states that it hands on; under
    /// Mode::inference without a graph, and without a loss.
    virtual Tensor forward(const Batch& batch) = 0;

protected:
    [[nodiscard]] const Context& context() const
    {
        return m_context;
    }
    /// One layer, checkpointed or not; ZeRO-3 has its weights gathered meanwhile.
    Tensor throughLayer(int unit, const std::function<Tensor(Tensor)>& layer, const Tensor& x);
    /// Layers one after the other, units from `first` on: `run(layer, x)` is what each does.
    template <class Layers, class Run>
    Tensor throughLayers(std::int64_t first, const Layers& layers, Tensor x, const Run& run)
    {
        auto unit = static_cast<int>(first);
        for (const auto& layer : layers) {
            x = throughLayer(
                unit++, [&layer, run](const Tensor& input) { return run(layer, input); }, x);
        }
        return x;
    }
    /// From the last hidden states to the loss, unless there is none; Trainer keeps the logits
    /// until it has the loss, a loop of one's own longer.
    Tensor lossOf(const Tensor& hidden, const Parameter& head, const Tensor& bias,
                  const Batch& batch);

private:
    Context m_context;
    Memory m_logits; ///< That a loop of one's own still holds.
};

std::unique_ptr<Network> makeDecoder(const Context& context);
std::unique_ptr<Network> makeGpt2(const Context& context);
std::unique_ptr<Network> makeOpt(const Context& context);
std::unique_ptr<Network> makeBloom(const Context& context);
std::unique_ptr<Network> makeBert(const Context& context);
std::unique_ptr<Network> makeModernBert(const Context& context);
std::unique_ptr<Network> makeBart(const Context& context);
std::unique_ptr<Network> makeT5(const Context& context);
std::unique_ptr<Network> makeVit(const Context& context);
/// The one of the model's architecture.
std::unique_ptr<Network> makeNetwork(const Context& context);

} // namespace tidemark::walk
