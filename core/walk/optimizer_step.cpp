// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/optimizer_step.h"

namespace tidemark::walk {
namespace {

/// bitsandbytes keeps moments of smaller tensors in 32 bits, larger ones in 8 with the largest
/// absolute value of each block (bitsandbytes/optim/optimizer.py, min_8bit_size; blocks of 256).
constexpr std::int64_t kLeast8Bit = 4096;
constexpr std::int64_t kBlock8Bit = 256;

/// Sharded from stage 1 on.
Bytes shareOf(const Parameters& parameters, const Parameter& p, const RunShape& run,
              std::int64_t bytes)
{
    return run.zero > 0 ? parameters.shareOf(p, {bytes}) : Bytes{bytes};
}

/// Weights in 16 bits of which the optimizer has a copy in 32.
bool hasMaster(const Parameter& p, const RunShape& run)
{
    return run.precision == Precision::bf16_master && p.type == Dtype::bf16;
}

void makeStatesOf(Parameter& p, Tape& tape, const Parameters& parameters, const RunShape& run)
{
    Recorder& recorder = tape.recorder();
    const auto keep = [&](std::int64_t bytes) {
        p.states.push_back(recorder.request(shareOf(parameters, p, run, bytes)));
        recorder.label(p.states.back(), label::Bucket::optimizer_state);
    };
    if (hasMaster(p, run)) {
        keep(4 * p.elements());
        recorder.label(p.states.back(), label::Bucket::optimizer_state, label::Role::master);
    }
    // Moments have the type of what is updated.
    const std::int64_t moment_bytes = hasMaster(p, run) ? 4 * p.elements() : p.bytes().value;
    switch (run.optimizer) {
    case Optimizer::adamw:
    case Optimizer::adamw_foreach:
    case Optimizer::adamw_for_loop:
        keep(moment_bytes);
        keep(moment_bytes);
        break;
    case Optimizer::adamw_8bit:
        for (int moment = 0; moment < 2; ++moment) {
            if (p.elements() < kLeast8Bit) {
                keep(4 * p.elements());
            } else {
                keep(p.elements());
                keep(4 * ((p.elements() + kBlock8Bit - 1) / kBlock8Bit));
            }
        }
        break;
    case Optimizer::adafactor:
        // Sums of squares of rows and columns; of a vector, of each element.
        if (p.rows > 1) {
            keep(4 * p.rows);
            keep(4 * p.columns);
        } else {
            keep(4 * p.elements());
        }
        break;
    case Optimizer::sgd_momentum:
        keep(moment_bytes); // A copy of the first gradient; all else is in place
                            // (torch/optim/sgd.py).
        break;
    case Optimizer::sgd:
        break;
    }
}

/// Adafactor of transformers, one parameter after the other (optimization.py). Names of Python live
/// until they are bound anew, so those of one parameter are there when the next one begins.
class Adafactor {
public:
    explicit Adafactor(Tape& tape)
        : m_tape(tape)
    {
    }
    void step(const Parameter& p)
    {
        const std::int64_t n = p.elements();
        if (p.type != Dtype::fp32) {
            m_gradient = m_tape.empty(n, Dtype::fp32);
            m_weight = m_tape.empty(n, Dtype::fp32);
        }
        {
            const Tensor squared = m_tape.empty(n, Dtype::fp32);
            m_update = m_tape.empty(n, Dtype::fp32);
        }
        m_update = m_tape.empty(n, Dtype::fp32); // From the sums of rows and columns.
        const Tensor negative = m_tape.empty(n, Dtype::fp32);
    }

private:
    Tape& m_tape;
    Tensor m_gradient;
    Tensor m_weight;
    Tensor m_update;
};

} // namespace

void makeStates(Tape& tape, Parameters& parameters, const RunShape& run)
{
    for (Parameter& p : parameters.all()) {
        if (p.is_trained && p.states.empty() && run.states == Offload::none) {
            makeStatesOf(p, tape, parameters, run);
        }
    }
}

void stepOptimizer(Tape& tape, Parameters& parameters, const RunShape& run)
{
    tape.recorder().beginPhase(label::Phase::optimizer);
    const InModule running(tape.recorder(), "optimizer", "step");
    if (run.states != Offload::none) {
        return; // The host's processor makes the step.
    }
    std::vector<Memory> wide_gradients;
    for (const Parameter& p : parameters.all()) {
        if (p.is_trained && hasMaster(p, run)) {
            // step() of stage_1_and_2.py makes this GPU's gradients as wide as the master copy.
            wide_gradients.push_back(
                tape.recorder().request(shareOf(parameters, p, run, 4 * p.elements())));
        }
    }
    makeStates(tape, parameters, run);
    if (run.optimizer == Optimizer::adamw_foreach) {
        // _multi_tensor_adam: the square roots of all second moments at once.
        std::vector<Memory> roots;
        for (const Parameter& p : parameters.all()) {
            if (p.is_trained) {
                const std::int64_t bytes = hasMaster(p, run) ? 4 * p.elements() : p.bytes().value;
                roots.push_back(tape.recorder().request(shareOf(parameters, p, run, bytes)));
            }
        }
    } else if (run.optimizer == Optimizer::adamw_for_loop) {
        // _single_tensor_adam: the root of the second moment, and what it is divided by, of one
        // parameter after the other.
        for (const Parameter& p : parameters.all()) {
            if (p.is_trained) {
                const Bytes bytes = p.states.back()->bytes();
                const Memory root = tape.recorder().request(bytes);
                const Memory divided = tape.recorder().request(bytes);
            }
        }
    } else if (run.optimizer == Optimizer::adafactor) {
        // Trainer has matrices in one group, norms and biases in a second.
        Adafactor adafactor(tape);
        for (const bool is_matrix : {true, false}) {
            for (const Parameter& p : parameters.all()) {
                if (p.is_trained && (p.rows > 1) == is_matrix) {
                    adafactor.step(p);
                }
            }
        }
    }
}

} // namespace tidemark::walk
