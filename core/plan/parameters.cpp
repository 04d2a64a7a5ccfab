// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/parameters.h"

namespace tidemark::plan {

using label::Bucket;
using label::Role;

Parameters::Parameters(Tape& tape, const RunShape& run)
    : m_tape(tape)
    , m_run(run)
{
}

Parameter& Parameters::weight(std::int64_t rows, std::int64_t columns)
{
    return make(rows, columns, m_run.precision == Precision::bf16 ? Dtype::bf16 : Dtype::fp32,
                !m_run.lora.has_value() && m_run.mode != Mode::inference);
}

Parameter& Parameters::adapter(std::int64_t rows, std::int64_t columns)
{
    return make(rows, columns, Dtype::fp32, m_run.mode != Mode::inference);
}

Parameter& Parameters::make(std::int64_t rows, std::int64_t columns, Dtype type, bool is_trained)
{
    Parameter& made = m_all.emplace_back();
    made.rows = rows;
    made.columns = columns;
    made.type = type;
    made.is_trained = is_trained;
    made.unit = m_unit;
    Recorder& recorder = m_tape.recorder();
    made.weight = recorder.request(m_run.zero == 3 ? shareOf(made.bytes()) : made.bytes());
    recorder.label(made.weight, Bucket::parameter, is_trained ? Role::trainable : Role::frozen);
    std::function<void(Tensor)> sink;
    if (is_trained) {
        sink = [this, &made](Tensor gradient) { take(made, std::move(gradient)); };
    }
    made.tensor = m_tape.leaf(made.weight, made.elements(), type,
                              static_cast<std::uint32_t>(m_all.size()), std::move(sink));
    return made;
}

void Parameters::take(Parameter& parameter, Tensor gradient)
{
    // AccumulateGrad takes over the first gradient and adds later ones to it in place.
    Recorder& recorder = m_tape.recorder();
    if (parameter.gradient) {
        return;
    }
    if (m_run.zero >= 2) {
        // Reduced and scattered: each GPU keeps its part.
        parameter.gradient = recorder.request(shareOf(parameter.bytes()));
    } else {
        parameter.gradient = gradient.memory;
    }
    recorder.label(parameter.gradient, Bucket::gradient,
                   m_run.accumulation > 1 ? Role::accumulated : Role::none);
}

std::int64_t Parameters::count() const
{
    std::int64_t all = 0;
    for (const Parameter& p : m_all) {
        all += p.elements();
    }
    return all;
}

std::int64_t Parameters::trainedCount() const
{
    std::int64_t all = 0;
    for (const Parameter& p : m_all) {
        all += p.is_trained ? p.elements() : 0;
    }
    return all;
}

Bytes Parameters::shareOf(Bytes whole) const
{
    return {(whole.value + m_run.gpus - 1) / m_run.gpus};
}

Memory Parameters::gathered(int unit)
{
    if (m_run.zero != 3 || m_run.gpus == 1) {
        return nullptr;
    }
    Bytes all;
    for (const Parameter& p : m_all) {
        all += p.unit == unit ? p.bytes() : Bytes{};
    }
    Memory made = m_tape.recorder().request(all);
    m_tape.recorder().label(made, Bucket::parameter, Role::unsharded);
    return made;
}

void Parameters::dropGradients()
{
    for (Parameter& p : m_all) {
        p.gradient = nullptr;
    }
}

} // namespace tidemark::plan
