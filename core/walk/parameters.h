// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/run_shape.h"
#include "core/walk/tape.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace tidemark::walk {

/// One weight of the model with what training keeps beside it.
struct Parameter {
    std::int64_t rows = 0; ///< 1: a vector.
    std::int64_t columns = 0;
    Dtype type = Dtype::fp32;
    bool is_trained = true;
    bool is_expert = false; ///< Divided among data-parallel GPUs already.
    Memory weight; ///< Under ZeRO-3 this GPU's part; with weights on the host nothing.
    std::vector<Memory> scales; ///< Of a quantized weight.
    Memory gradient;
    Memory whole_gradient; ///< Of all GPUs, until it is reduced under ZeRO-3.
    std::vector<Memory> states;
    Tensor tensor; ///< As operations take it.

    [[nodiscard]] std::int64_t elements() const
    {
        return rows * columns;
    }
    [[nodiscard]] Bytes bytes() const
    {
        return {elements() * widthOf(type)};
    }
};

/// A layer by its number, as a module: "layers.3".
std::string layerName(int unit);

/// The parameters of a model, in the order they were made; their addresses stay.
class Parameters {
public:
    Parameters(Tape& tape, const RunShape& run);
    Parameters(const Parameters&) = delete;
    Parameters& operator=(const Parameters&) = delete;

    /// A weight of the base model: trained, unless adapters are.
    Parameter& weight(std::int64_t rows, std::int64_t columns);
    /// A matrix of experts: `rows` are those that this GPU has.
    Parameter& expert(std::int64_t rows, std::int64_t columns);
    /// The matrix of a linear layer, quantized where the base is. Sources: bitsandbytes 0.50,
    /// functional.py (quantize_4bit: a scale in fp32 per 64 values; nested: a byte, and one in fp32
    /// per 256 of these; int8_vectorwise_quant: one per row).
    Parameter& matrix(std::int64_t rows, std::int64_t columns);
    /// A matrix of an adapter: trained, in fp32 whatever the base has.
    Parameter& adapter(std::int64_t rows, std::int64_t columns);
    /// Calls `make(i)` for each of so many layers; what it makes belongs to the unit `first + i`.
    template <class Make>
    void makeUnits(std::int64_t first, std::int64_t count, const Make& make)
    {
        for (std::int64_t i = 0; i < count; ++i) {
            m_unit = static_cast<int>(first + i);
            const InModule layer(m_tape.recorder(), layerName(m_unit));
            make(i);
        }
        m_unit = -1;
    }

    [[nodiscard]] std::deque<Parameter>& all()
    {
        return m_all;
    }
    [[nodiscard]] std::int64_t count() const;
    [[nodiscard]] std::int64_t trainedCount() const;
    /// Those of which this GPU has the optimizer's states.
    [[nodiscard]] std::int64_t trainedShare() const;
    /// This GPU's share of something that belongs to a parameter.
    [[nodiscard]] Bytes shareOf(const Parameter& parameter, Bytes whole) const;
    /// The unsharded weights of one layer, or with -1 of what is in none.
    [[nodiscard]] Bytes bytesOf(int unit) const;
    /// The weights of one layer (-1: of what is in none) in one piece, while ZeRO-3 has gathered
    /// them; not there otherwise.
    Memory gathered(int unit);
    /// Under ZeRO-3 gradients are whole until the backward of their layer has ended.
    void reduceGradients(int unit);
    /// Sets all gradients to None.
    void dropGradients();

private:
    /// With what is usual for a weight, and then in memory.
    Parameter& make(std::int64_t rows, std::int64_t columns);
    Parameter& finish(Parameter& made);
    void take(Parameter& parameter, Tensor gradient);

    Tape& m_tape;
    RunShape m_run;
    std::deque<Parameter> m_all;
    std::map<int, std::vector<Parameter*>> m_units; ///< By layer; −1: in none.
    int m_unit = -1;
};

} // namespace tidemark::walk
