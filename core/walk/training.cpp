// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/walk/training.h"

#include "core/walk/collectives.h"
#include "core/walk/network.h"
#include "core/walk/optimizer_step.h"

#include <algorithm>
#include <deque>

namespace tidemark::walk {
namespace {

using label::Phase;

/// The batch as the collator makes it: of texts a mask, too.
Batch loadBatch(Tape& tape, const ModelShape& model, const RunShape& run)
{
    tape.recorder().beginPhase(Phase::input);
    const auto loaded = [&](std::int64_t elements, Dtype type) {
        Tensor made = tape.empty(elements, type);
        tape.recorder().label(made.memory, label::Bucket::input);
        return made;
    };
    Batch batch;
    if (model.images) {
        batch.ids = loaded(run.batch * model.images->pixels(), Dtype::fp32);
        batch.labels = loaded(run.batch, Dtype::int64);
        return batch;
    }
    batch.ids = loaded(run.tokens(), Dtype::int64);
    batch.labels =
        loaded(run.batch * (model.decoder ? run.targetSequence() : run.sequence), Dtype::int64);
    batch.mask = loaded(run.tokens(), Dtype::int64);
    return batch;
}

/// DistributedDataParallel keeps a second copy of the gradients in the buckets that it reduces.
std::vector<Memory> reductionBuckets(Tape& tape, Parameters& parameters, const RunShape& run)
{
    std::vector<Memory> buckets;
    if (run.zero != 0 || run.mode != Mode::train) {
        return buckets;
    }
    for (const Parameter& p : parameters.all()) {
        const std::int64_t replicas = p.is_expert ? run.expertReplicas() : run.replicas();
        if (p.is_trained && replicas > 1) {
            buckets.push_back(tape.recorder().request(p.bytes()));
            tape.recorder().label(buckets.back(), label::Bucket::gradient,
                                  label::Role::reduction_bucket);
        }
    }
    return buckets;
}

/// The steps of one GPU.
class Steps {
public:
    Steps(const Context& context, Network& network)
        : m_tape(context.tape)
        , m_model(context.model)
        , m_run(context.run)
        , m_parameters(context.parameters)
        , m_network(network)
    {
    }

    /// Of one process that has all layers.
    void accumulate()
    {
        const std::int64_t turns = std::min<std::int64_t>(m_run.accumulation, 2);
        for (std::int64_t turn = 0; turn < turns; ++turn) {
            const Batch batch = loadBatch(m_tape, m_model, m_run);
            // FSDP keeps the outermost unit whole until its backward has ended.
            const Memory root = m_parameters.gathered(-1);
            const Tensor loss = forward(batch);
            if (m_run.mode == Mode::train && loss.needsGradient()) {
                backward(loss);
            }
        }
    }
    /// Of one stage of a pipeline: what is ahead waits with all that backward needs.
    void pipeline()
    {
        const Division& division = m_run.division;
        const std::int64_t ahead = division.pipeline - division.stage;
        const std::int64_t turns = std::min(m_run.accumulation, ahead + 1);
        const Memory root = m_parameters.gathered(-1);
        std::deque<InFlight> waiting;
        for (std::int64_t turn = 0; turn < turns; ++turn) {
            InFlight& next = waiting.emplace_back();
            next.batch = loadBatch(m_tape, m_model, m_run);
            if (!division.isFirst()) {
                next.batch.received = received();
            }
            next.output = forward(next.batch);
            if (std::ssize(waiting) == std::min(ahead, m_run.accumulation)) {
                finishFirst(waiting);
            }
        }
        while (!waiting.empty()) {
            finishFirst(waiting);
        }
    }

private:
    /// A micro-batch between its forward and its backward.
    struct InFlight {
        Batch batch;
        Tensor output;
    };

    Tensor forward(const Batch& batch)
    {
        m_tape.recorder().beginPhase(m_run.mode == Mode::inference ? Phase::inference
                                                                   : Phase::forward);
        m_tape.autocasts = m_run.precision == Precision::autocast_bf16;
        Tensor loss = m_network.forward(batch);
        m_tape.autocasts = false;
        m_tape.casts.clear();
        return loss;
    }
    void backward(const Tensor& root)
    {
        m_tape.recorder().beginPhase(Phase::backward);
        m_tape.backward(root, m_run.division.isLast() ? Tensor() : exchanged());
        for (int unit = -1; unit < m_model.layers; ++unit) {
            m_parameters.reduceGradients(unit); // Of the first layer and of none.
        }
    }
    /// Hidden states of this GPU's tokens, or their gradient, from another stage.
    Tensor exchanged()
    {
        const Division& division = m_run.division;
        const std::int64_t among = division.divides_tokens ? division.tensor : 1;
        const std::int64_t elements = m_run.tokens() / among * m_model.hidden;
        Tensor made = m_tape.empty(elements, m_run.hasNarrowWeights() ? Dtype::bf16 : Dtype::fp32);
        m_tape.recorder().label(made.memory, label::Bucket::communication);
        return made;
    }
    Tensor received()
    {
        const Tensor made = exchanged();
        return m_tape.leaf(made.memory, made.elements, made.type, 0, [](const Tensor&) {});
    }
    void finishFirst(std::deque<InFlight>& waiting)
    {
        InFlight first = std::move(waiting.front());
        waiting.pop_front();
        if (m_run.mode == Mode::train && first.output.needsGradient()) {
            backward(first.output);
        }
    }

    Tape& m_tape;
    const ModelShape& m_model;
    const RunShape& m_run;
    Parameters& m_parameters;
    Network& m_network;
};

enum class Begins : std::uint8_t { with_the_first_step, with_the_second };

PlannedRun walkThrough(const ModelShape& model, const RunShape& run, Begins begins)
{
    PlannedRun planned;
    Recorder recorder;
    {
        const ModelShape part = partOf(model, run.division);
        const RunShape local = partOf(run);
        Tape tape(recorder, local.target);
        Parameters parameters(tape, local);
        const Context context{tape, part, local, parameters};
        const std::unique_ptr<Network> network = makeNetwork(context);
        const std::vector<Memory> buckets = reductionBuckets(tape, parameters, local);
        planned.parameters = parameters.count();
        planned.trained = parameters.trainedCount();
        planned.trained_share = parameters.trainedShare();
        if (local.gathersWeights()) {
            planned.gathered_root = parameters.bytesOf(-1);
            for (int unit = 0; unit < part.layers; ++unit) {
                planned.gathered_layer = std::max(planned.gathered_layer, parameters.bytesOf(unit));
            }
        }
        tape.is_grad_enabled = local.mode != Mode::inference;
        tape.keeps_all_casts =
            local.mode == Mode::inference && !local.lora && !local.unsaid.freezes_weights;
        Steps steps(context, *network);
        const bool has_states = begins == Begins::with_the_second;
        if (has_states && local.mode == Mode::train) {
            makeStates(tape, parameters, local);
        }
        const int count = local.mode == Mode::train && !has_states ? 2 : 1;
        for (int step = 0; step < count; ++step) {
            local.division.pipeline > 1 ? steps.pipeline() : steps.accumulate();
            if (local.mode == Mode::train) {
                stepOptimizer(tape, parameters, local);
                recorder.beginPhase(Phase::other);
                parameters.dropGradients();
            }
        }
        planned.timeline = recorder.timeline();
    }
    return planned;
}

} // namespace

PlannedRun planRun(const ModelShape& model, const RunShape& run)
{
    return walkThrough(model, run, Begins::with_the_first_step);
}

PlannedRun planStep(const ModelShape& model, const RunShape& run)
{
    return walkThrough(model, run, Begins::with_the_second);
}

} // namespace tidemark::walk
