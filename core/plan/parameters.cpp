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
    m_units[m_unit].push_back(&made);
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
    if (m_run.zero == 3 && m_run.gpus > 1) {
        if (!parameter.whole_gradient) {
            parameter.whole_gradient = gradient.memory;
            recorder.label(parameter.whole_gradient, Bucket::gradient, Role::unsharded);
        }
        return;
    }
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

Bytes Parameters::bytesOf(int unit) const
{
    Bytes all;
    if (const auto found = m_units.find(unit); found != m_units.end()) {
        for (const Parameter* p : found->second) {
            all += p->bytes();
        }
    }
    return all;
}

Memory Parameters::gathered(int unit)
{
    if (m_run.zero != 3 || m_run.gpus == 1) {
        return nullptr;
    }
    Memory made = m_tape.recorder().request(bytesOf(unit));
    m_tape.recorder().label(made, Bucket::parameter, Role::unsharded);
    return made;
}

void Parameters::reduceGradients(int unit)
{
    for (Parameter* p : m_units[unit]) {
        if (p->whole_gradient && !p->gradient) {
            p->gradient = m_tape.recorder().request(shareOf(p->bytes()));
            m_tape.recorder().label(p->gradient, Bucket::gradient,
                                    m_run.accumulation > 1 ? Role::accumulated : Role::none);
        }
        p->whole_gradient = nullptr;
    }
}

void Parameters::dropGradients()
{
    for (Parameter& p : m_all) {
        p.gradient = nullptr;
    }
}

} // namespace tidemark::plan
