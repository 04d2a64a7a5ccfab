// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/predict/law_helpers.h"
#include "core/diagnose/predict/laws.h"
#include "core/message/texts.h"

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

/// Sizes that sharding has beside the divided states, in bytes of the run's own weights.
class ShardingBuffers {
public:
    explicit ShardingBuffers(const Facts& facts)
        : m_weights(*facts.blocks)
        , m_width(facts.weightWidth())
        , m_elements(static_cast<double>(facts.states.parameters) / m_width)
        , m_sizes(facts.analysis.input.config ? facts.analysis.input.config->sharding
                                              : config::ShardingSizes{})
        , m_reduces_in_fp32(facts.analysis.input.config
                            && facts.analysis.input.config->reduces_in_fp32)
    {
        largest = static_cast<double>(facts.states.largest_parameter);
        block = m_width * static_cast<double>(blockElements(facts));
        // Without a structure a common count of weights may be that of embedding and head.
        for (const auto& [bytes, count] : m_weights.sizes) {
            layer +=
                m_weights.vector > 0 ? static_cast<double>(bytes * m_weights.perBlock(bytes)) : 0;
        }
        root = layer > 0 ? static_cast<double>(facts.states.parameters)
                - layer * static_cast<double>(m_weights.blocks)
                         : 0;
        layer = layer > 0 ? layer : block;
    }

    double largest = 0; ///< The largest weight.
    double block = 0; ///< The least that buckets must hold: a block's weights.
    double layer = 0; ///< What is gathered at once: a layer's weights,
    double root = 0; ///< and what is in no layer: embeddings and the head.

    /// Of a weight or its gradient.
    [[nodiscard]] bool isOfLayers(std::int64_t bytes) const
    {
        return root <= 0 || m_weights.perBlock(bytes) > 0;
    }
    /// DeepSpeed's buckets for gradients and for gathering: one of each, and with communication
    /// beside computation 4.5 of them (Hugging Face's documentation of `overlap_comm`). Where no
    /// configuration names them the lines to paste say a block's size for each.
    [[nodiscard]] Amount buckets(int stage) const
    {
        if (!m_sizes.any()) {
            return {0, 0, 2 * block};
        }
        const double one = bytesOf(m_sizes.reduce.value_or(kDefault))
            + (stage < 3 ? bytesOf(m_sizes.gather.value_or(kDefault)) : 0);
        const bool overlaps = m_sizes.overlaps.value_or(stage == 3);
        return overlaps ? Amount{one, kOverlapping * one, kOverlapping * one}
                        : Amount{one / 2, one, one};
    }
    /// A whole gradient of `bytes` until it is summed up; a sum in 32 bits has a copy of twice the
    /// size beside it.
    [[nodiscard]] Amount wholeGradient(double bytes) const
    {
        const double in_fp32 = m_width < 4 ? 3 : 1;
        const double mid = m_reduces_in_fp32 ? in_fp32 * bytes : bytes;
        return {0, mid, std::max(2 * bytes, in_fp32 * bytes)};
    }
    /// Gathered weights: what is in no layer, which FSDP's outermost unit keeps until its backward
    /// has ended (torch/distributed/fsdp: the root does not reshard after forward), the layer at
    /// work and the next one; DeepSpeed keeps as many as it may, since what is used again soon is
    /// not given back.
    [[nodiscard]] Amount gathered() const
    {
        if (m_sizes.any()) {
            const double live = std::max(block, bytesOf(m_sizes.live.value_or(kDefaultLive)));
            return {block, live, std::max(live, 2 * block)};
        }
        return {layer, std::max(0.0, root) + 2 * layer, std::max(0.0, root) + 4 * layer};
    }
    /// Weights so small that each GPU keeps them whole.
    [[nodiscard]] bool isKeptWhole(std::int64_t bytes) const
    {
        return m_sizes.any()
            && static_cast<double>(bytes) / m_width
            < static_cast<double>(m_sizes.persistent.value_or(kDefaultPersistent));
    }
    [[nodiscard]] bool areConfigured() const
    {
        return m_sizes.any();
    }

private:
    // Elements: the defaults of DeepSpeed's configuration.
    static constexpr std::int64_t kDefault = 500'000'000;
    static constexpr std::int64_t kDefaultLive = 1'000'000'000;
    static constexpr std::int64_t kDefaultPersistent = 100'000;
    static constexpr double kOverlapping = 4.5;

    /// No piece is larger than the model.
    [[nodiscard]] double bytesOf(std::int64_t elements) const
    {
        return m_width * std::min(static_cast<double>(elements), m_elements);
    }

    const BlockWeights& m_weights;
    double m_width; ///< Bytes per element.
    double m_elements; ///< Of the model.
    config::ShardingSizes m_sizes;
    bool m_reduces_in_fp32;
};

class ZeroLaw final : public Law {
public:
    ZeroLaw(const Facts& facts, int stage, int gpus)
        : m_facts(facts)
        , m_pieces(facts)
        , m_stage(stage)
        , m_gpus(gpus)
    {
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet(
            {Bucket::optimizer_state, Bucket::temporary, Bucket::gradient, Bucket::parameter});
    }
    [[nodiscard]] Amount factor(const Subject& subject) const override
    {
        const bool shards =
            (subject.bucket == Bucket::optimizer_state || isOptimizerTransient(subject))
            || (subject.bucket == Bucket::gradient && m_stage >= 2)
            || (subject.bucket == Bucket::parameter && m_stage >= 3
                && !m_pieces.isKeptWhole(subject.bytes));
        return Amount::exactly(shards ? 1.0 / m_gpus : 1);
    }
    [[nodiscard]] std::vector<Span> additions() const override
    {
        std::vector<Span> spans;
        if (m_gpus < 2) {
            return spans;
        }
        const std::vector<Pass>& passes = m_facts.passes;
        for (std::size_t i = 0; i < passes.size(); ++i) {
            const Pass& pass = passes[i];
            if (!pass.backward.isEmpty()) {
                const StateId step_end = i + 1 < passes.size()
                    ? passes[i + 1].forward.begin
                    : StateId{m_facts.replay.lastState().value + 1};
                spans.push_back({pass.backward.begin, step_end, m_pieces.buckets(m_stage),
                                 Bucket::communication});
            }
            if (!pass.backward.isEmpty() && m_stage >= 2 && !m_pieces.areConfigured()) {
                addWholeGradients(pass, spans);
            }
            if (m_stage >= 3) {
                spans.push_back(
                    {pass.forward.begin, pass.end(), m_pieces.gathered(), Bucket::parameter});
            }
        }
        return spans;
    }
    [[nodiscard]] Amount futureState() const override
    {
        return Amount::exactly(1.0 / m_gpus);
    }
    [[nodiscard]] Amount futureGradients() const override
    {
        return Amount::exactly(m_stage >= 2 ? 1.0 / m_gpus : 1);
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        std::vector<std::string> texts{
            m_stage >= 3 ? say(
                "{} GPUs shard optimizer state, gradients and weights; activations stay.", m_gpus)
                : m_stage == 2
                ? say("{} GPUs shard optimizer state and gradients; activations stay.", m_gpus)
                : say("{} GPUs shard optimizer state; activations stay.", m_gpus)};
        if (m_gpus < 2) {
            texts.emplace_back(say("One GPU cannot shard: give the number of GPUs (gpus=N)."));
            return texts;
        }
        const Amount buckets = m_pieces.buckets(m_stage);
        texts.push_back(
            m_pieces.areConfigured()
                ? say("Buckets of the configured size take {}.", Bytes{std::llround(buckets.mid)})
                : say("Communication buckets take up to {}.", Bytes{std::llround(buckets.high)}));
        if (m_stage >= 3) {
            const Amount gathered = m_pieces.gathered();
            texts.push_back(say("{} of weights are gathered at a time.",
                                Around{{std::llround(gathered.mid)},
                                       {std::llround(gathered.low)},
                                       {std::llround(gathered.high)}}));
        }
        return texts;
    }

private:
    /// Until they are summed up, with DeepSpeed in the buckets, which count them. Those of a layer
    /// are from its first one on; of what is in no layer each is from where it is made: FSDP's
    /// outermost unit keeps it until its backward ends, as stage 2 may.
    void addWholeGradients(const Pass& pass, std::vector<Span>& spans) const
    {
        StateId of_layers = pass.backward.end;
        const auto [first, end] = m_facts.madeIn(pass);
        for (std::size_t i = first; i < end; ++i) {
            const AllocationId a(i);
            const StateId begin = m_facts.allocations().begin[i];
            if (m_facts.bucket(a) != Bucket::gradient || !pass.backward.contains(begin)) {
                continue;
            }
            if (m_pieces.isOfLayers(m_facts.bytes(a))) {
                of_layers = std::min(of_layers, begin);
                continue;
            }
            const Amount whole = m_pieces.wholeGradient(static_cast<double>(m_facts.bytes(a)));
            const StateId behind = m_stage == 2 ? StateId{begin.value + 1} : pass.backward.end;
            spans.push_back({begin, behind, whole, Bucket::gradient});
            spans.push_back({behind, pass.backward.end, {0, 0, whole.high}, Bucket::gradient});
        }
        // Where nothing shows when they are made, all of backward may have them.
        spans.push_back({of_layers < pass.backward.end ? of_layers : pass.backward.begin,
                         pass.backward.end, m_pieces.wholeGradient(m_pieces.layer),
                         Bucket::gradient});
    }

    const Facts& m_facts;
    ShardingBuffers m_pieces;
    int m_stage;
    int m_gpus;
};

class OffloadLaw final : public Law {
public:
    OffloadLaw(const Facts& facts, bool parameters)
        : m_facts(facts)
        , m_parameters(parameters)
    {
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return m_parameters ? bucketSet({Bucket::parameter})
                            : bucketSet({Bucket::optimizer_state, Bucket::temporary});
    }
    [[nodiscard]] Amount factor(const Subject& subject) const override
    {
        const bool leaves = m_parameters
            ? subject.bucket == Bucket::parameter
            : subject.bucket == Bucket::optimizer_state || isOptimizerTransient(subject);
        return Amount::exactly(leaves ? 0 : 1);
    }
    [[nodiscard]] std::vector<Span> additions() const override
    {
        std::vector<Span> spans;
        if (!m_parameters) {
            return spans;
        }
        const ShardingBuffers pieces(m_facts);
        if (m_facts.passes.empty()) { // nothing ran yet; two blocks' weights are the least
            const double two = 2 * pieces.largest;
            spans.push_back({StateId::start(),
                             StateId{m_facts.replay.lastState().value + 1},
                             {pieces.largest, two, two},
                             Bucket::parameter});
        }
        for (const Pass& pass : m_facts.passes) {
            spans.push_back({pass.forward.begin, pass.end(), pieces.gathered(), Bucket::parameter});
        }
        return spans;
    }
    [[nodiscard]] Amount futureState() const override
    {
        return Amount::exactly(m_parameters ? 1 : 0);
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        return {
            m_parameters
                ? say("Weights are in host memory; two blocks at a time are on the GPU.")
                : say(
                    "Optimizer state and its step move to the CPU, which needs that much memory.")};
    }

private:
    const Facts& m_facts;
    bool m_parameters;
};

} // namespace

std::int64_t blockElements(const Facts& facts)
{
    const auto largest = static_cast<double>(facts.states.largest_parameter);
    const double part = facts.layers.count > 0
        ? static_cast<double>(facts.states.parameters) / facts.layers.count
        : 0;
    return std::llround(std::ceil(std::max(largest, part) / facts.weightWidth()));
}

std::unique_ptr<Law> zeroLaw(const Facts& facts, int stage, int gpus)
{
    return std::make_unique<ZeroLaw>(facts, stage, std::max(1, gpus));
}

std::unique_ptr<Law> offloadLaw(const Facts& facts, bool parameters)
{
    return std::make_unique<OffloadLaw>(facts, parameters);
}

} // namespace tidemark::diagnose
