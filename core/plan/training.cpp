// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/training.h"

#include "core/plan/network.h"
#include "core/plan/optimizer_step.h"

#include <algorithm>

namespace tidemark::plan {
namespace {

using label::Phase;

Batch loadBatch(Tape& tape, const RunShape& run)
{
    tape.recorder().beginPhase(Phase::input);
    const auto loaded = [&] {
        Tensor made = tape.empty(run.tokens(), Dtype::int64);
        tape.recorder().label(made.memory, label::Bucket::input);
        return made;
    };
    Batch batch;
    batch.ids = loaded();
    batch.labels = loaded();
    batch.mask = loaded();
    return batch;
}

/// DistributedDataParallel keeps a second copy of the gradients in the buckets that it reduces.
std::vector<Memory> reductionBuckets(Tape& tape, Parameters& parameters, const RunShape& run)
{
    std::vector<Memory> buckets;
    if (run.gpus > 1 && run.zero == 0 && run.mode == Mode::train) {
        for (const Parameter& p : parameters.all()) {
            if (p.is_trained) {
                buckets.push_back(tape.recorder().request(p.bytes()));
                tape.recorder().label(buckets.back(), label::Bucket::gradient,
                                      label::Role::reduction_bucket);
            }
        }
    }
    return buckets;
}

Tensor runForward(Tape& tape, Network& network, const Batch& batch, const RunShape& run)
{
    tape.autocasts = run.precision == Precision::autocast_bf16;
    Tensor loss = network.forward(batch);
    tape.autocasts = false;
    tape.casts.clear();
    return loss;
}

} // namespace

PlannedRun planRun(const ModelShape& model, const RunShape& run)
{
    PlannedRun planned;
    Recorder recorder;
    {
        Tape tape(recorder, run.target);
        Parameters parameters(tape, run);
        const Context context{tape, model, run, parameters};
        const std::unique_ptr<Network> network = makeNetwork(context);
        const std::vector<Memory> buckets = reductionBuckets(tape, parameters, run);
        planned.parameters = parameters.count();
        planned.trained = parameters.trainedCount();
        if (run.zero == 3 && run.gpus > 1) {
            planned.gathered_root = parameters.bytesOf(-1);
            for (int unit = 0; unit < model.layers; ++unit) {
                planned.gathered_layer = std::max(planned.gathered_layer, parameters.bytesOf(unit));
            }
        }
        tape.is_grad_enabled = run.mode != Mode::inference;
        const int steps = run.mode == Mode::train ? 2 : 1;
        for (int step = 0; step < steps; ++step) {
            const int turns = static_cast<int>(std::min<std::int64_t>(run.accumulation, 2));
            for (int turn = 0; turn < turns; ++turn) {
                const Batch batch = loadBatch(tape, run);
                recorder.beginPhase(run.mode == Mode::inference ? Phase::inference
                                                                : Phase::forward);
                // FSDP keeps the outermost unit whole until its backward has ended.
                const Memory root = parameters.gathered(-1);
                const Tensor loss = runForward(tape, *network, batch, run);
                if (run.mode == Mode::train && loss.needsGradient()) {
                    recorder.beginPhase(Phase::backward);
                    tape.autocasts = false;
                    tape.backward(loss);
                    for (int unit = -1; unit < model.layers; ++unit) {
                        parameters.reduceGradients(unit); // Of the first layer and of none.
                    }
                }
            }
            if (run.mode == Mode::train) {
                stepOptimizer(tape, parameters, run);
                recorder.beginPhase(Phase::other);
                parameters.dropGradients();
            }
        }
        planned.timeline = recorder.timeline();
    }
    return planned;
}

} // namespace tidemark::plan
