// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/parameters.h"

namespace tidemark::walk {

using label::Bucket;
using label::Role;

std::string layerName(int unit)
{
    return "layers." + std::to_string(unit);
}

Parameters::Parameters(Tape& tape, const RunShape& run)
    : m_tape(tape)
    , m_run(run)
{
}

namespace {

constexpr std::int64_t kScalesPerScale = 256;
/// The values that 4 bits stand for, and those of the scales' 8 bits.
constexpr Bytes kCode{16 * 4};
constexpr Bytes kScaleCode{256 * 4};

std::int64_t countOf(std::int64_t values, std::int64_t per)
{
    return (values + per - 1) / per;
}

/// What the numbers of a quantized matrix take, and then each of its scales.
std::vector<Bytes> quantizedSizes(Quantization format, std::int64_t rows, std::int64_t columns)
{
    const std::int64_t values = rows * columns;
    if (format == Quantization::int8) {
        return {{values}, {4 * rows}};
    }
    const std::int64_t scales = countOf(values, kValuesPerScale);
    std::vector<Bytes> sizes{{countOf(values, 2)}};
    if (format == Quantization::nf4) {
        sizes.push_back({4 * scales});
    } else {
        sizes.push_back({scales});
        sizes.push_back({4 * countOf(scales, kScalesPerScale)});
        sizes.push_back(kScaleCode);
        sizes.push_back({4}); // Their mean.
    }
    sizes.push_back(kCode);
    return sizes;
}

} // namespace

Parameter& Parameters::weight(std::int64_t rows, std::int64_t columns)
{
    return finish(make(rows, columns));
}

Parameter& Parameters::expert(std::int64_t rows, std::int64_t columns)
{
    Parameter& made = make(rows, columns);
    made.is_expert = true;
    return finish(made);
}

Parameter& Parameters::matrix(std::int64_t rows, std::int64_t columns)
{
    if (m_run.quantization == Quantization::none) {
        return weight(rows, columns);
    }
    Parameter& made = make(rows, columns);
    made.is_trained = false;
    Recorder& recorder = m_tape.recorder();
    for (const Bytes size : quantizedSizes(m_run.quantization, rows, columns)) {
        const Memory memory = recorder.request(size);
        recorder.label(memory, Bucket::parameter, Role::frozen);
        made.weight ? made.scales.push_back(memory) : void(made.weight = memory);
    }
    made.tensor = m_tape.leaf(made.weight, made.elements(), made.type,
                              static_cast<std::uint32_t>(m_all.size()), {});
    return made;
}

Parameter& Parameters::adapter(std::int64_t rows, std::int64_t columns)
{
    Parameter& made = make(rows, columns);
    made.type = Dtype::fp32;
    made.is_trained = m_run.mode != Mode::inference;
    return finish(made);
}

Parameter& Parameters::make(std::int64_t rows, std::int64_t columns)
{
    Parameter& made = m_all.emplace_back();
    made.rows = rows;
    made.columns = columns;
    made.type = m_run.hasNarrowWeights() ? Dtype::bf16 : Dtype::fp32;
    made.is_trained = !m_run.lora.has_value() && m_run.mode != Mode::inference;
    m_units[m_unit].push_back(&made);
    return made;
}

Parameter& Parameters::finish(Parameter& made)
{
    Recorder& recorder = m_tape.recorder();
    Bytes held = made.bytes();
    if (m_run.weights != Offload::none) {
        held = {};
    } else if (m_run.zero == 3) {
        held = shareOf(made, held);
    }
    made.weight = recorder.request(held);
    recorder.label(made.weight, Bucket::parameter,
                   made.is_trained ? Role::trainable : Role::frozen);
    std::function<void(Tensor)> sink;
    if (made.is_trained) {
        sink = [this, &made](Tensor gradient) { take(made, std::move(gradient)); };
    }
    made.tensor = m_tape.leaf(made.weight, made.elements(), made.type,
                              static_cast<std::uint32_t>(m_all.size()), std::move(sink));
    return made;
}

void Parameters::take(Parameter& parameter, Tensor gradient)
{
    // AccumulateGrad takes over the first gradient and adds later ones to it in place.
    Recorder& recorder = m_tape.recorder();
    if (m_run.gathersWeights()) {
        if (!parameter.whole_gradient) {
            parameter.whole_gradient = gradient.memory;
            recorder.label(parameter.whole_gradient, Bucket::gradient, Role::unsharded);
        }
        return;
    }
    if (parameter.gradient) {
        return;
    }
    if (m_run.zero >= 2 && m_run.states != Offload::none) {
        return; // Reduced, and on its way to the host.
    }
    if (m_run.zero >= 2) {
        // Reduced and scattered: each GPU keeps its part.
        parameter.gradient = recorder.request(shareOf(parameter, parameter.bytes()));
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

std::int64_t Parameters::trainedShare() const
{
    std::int64_t all = 0;
    for (const Parameter& p : m_all) {
        const std::int64_t part = m_run.zero > 0 ? shareOf(p, {p.elements()}).value : p.elements();
        all += p.is_trained ? part : 0;
    }
    return all;
}

Bytes Parameters::shareOf(const Parameter& parameter, Bytes whole) const
{
    return {countOf(whole.value, parameter.is_expert ? m_run.expertReplicas() : m_run.replicas())};
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
    if (!m_run.gathersWeights()) {
        return nullptr;
    }
    Memory made = m_tape.recorder().request(bytesOf(unit));
    m_tape.recorder().label(made, Bucket::parameter, Role::unsharded);
    return made;
}

void Parameters::reduceGradients(int unit)
{
    for (Parameter* p : m_units[unit]) {
        if (p->whole_gradient && !p->gradient && m_run.states == Offload::none) {
            p->gradient = m_tape.recorder().request(shareOf(*p, p->bytes()));
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

} // namespace tidemark::walk
