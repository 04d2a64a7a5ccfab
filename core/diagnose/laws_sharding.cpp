// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/law_helpers.h"
#include "core/diagnose/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

class ZeroLaw final : public Law {
public:
    ZeroLaw(const Facts& facts, int stage, int gpus)
        : m_facts(facts)
        , m_stage(stage)
        , m_gpus(gpus)
    {
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet(
            {Bucket::optimizer_state, Bucket::temporary, Bucket::gradient, Bucket::parameter});
    }
    void apply(const Subject& subject, std::vector<Span>& spans) const override
    {
        const bool shards =
            (subject.bucket == Bucket::optimizer_state || isOptimizerTransient(subject))
            || (subject.bucket == Bucket::gradient && m_stage >= 2)
            || (subject.bucket == Bucket::parameter && m_stage >= 3);
        if (shards) {
            scale(spans, Amount::exactly(1.0 / m_gpus));
        }
    }
    [[nodiscard]] std::vector<Span> additions() const override
    {
        std::vector<Span> spans;
        if (m_gpus < 2 || m_stage < 2) {
            return spans;
        }
        const auto largest = static_cast<double>(largestOf(m_facts, Bucket::parameter));
        const double block = m_facts.layers.count > 0
            ? static_cast<double>(m_facts.states.parameters) / m_facts.layers.count
            : largest;
        for (const Pass& pass : m_facts.passes) {
            // A block's whole gradient stands until it is reduced; stage 3 gathers two blocks'
            // weights.
            const double gradient = pass.backward.isEmpty() ? 0 : std::max(largest, block);
            if (gradient > 0) {
                spans.push_back({pass.backward.begin,
                                 pass.backward.end,
                                 {largest, gradient, 2 * gradient},
                                 Bucket::gradient});
            }
            if (m_stage >= 3) {
                const double gathered = 2 * std::max(largest, block);
                spans.push_back({pass.forward.begin,
                                 pass.end(),
                                 {largest, gathered, 2 * gathered},
                                 Bucket::parameter});
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
        std::vector<std::string> texts{fmt::format(
            "{} GPUs share the optimizer state{}{}; activations stay as they are.", m_gpus,
            m_stage >= 2 ? m_stage >= 3 ? ", the gradients" : " and the gradients" : "",
            m_stage >= 3 ? " and the weights" : "")};
        if (m_gpus < 2) {
            texts.emplace_back(
                "One GPU has nobody to share with: say how many there are (gpus=N).");
        }
        return texts;
    }

private:
    const Facts& m_facts;
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
    void apply(const Subject& subject, std::vector<Span>& spans) const override
    {
        const bool leaves = m_parameters
            ? subject.bucket == Bucket::parameter
            : subject.bucket == Bucket::optimizer_state || isOptimizerTransient(subject);
        if (leaves) {
            scale(spans, Amount::exactly(0));
        }
    }
    [[nodiscard]] std::vector<Span> additions() const override
    {
        std::vector<Span> spans;
        if (!m_parameters) {
            return spans;
        }
        const auto largest = static_cast<double>(largestOf(m_facts, Bucket::parameter));
        const double block = m_facts.layers.count > 0
            ? static_cast<double>(m_facts.states.parameters) / m_facts.layers.count
            : largest;
        if (m_facts.passes.empty()) { // nothing ran yet; two blocks' weights are the least
            spans.push_back({StateId::start(),
                             StateId{m_facts.replay.lastState().value + 1},
                             {largest, 2 * largest, 2 * largest},
                             Bucket::parameter});
        }
        for (const Pass& pass : m_facts.passes) {
            const double working = 2 * std::max(largest, block);
            spans.push_back({pass.forward.begin,
                             pass.end(),
                             {largest, working, 2 * working},
                             Bucket::parameter});
        }
        return spans;
    }
    [[nodiscard]] Amount futureState() const override
    {
        return Amount::exactly(m_parameters ? 1 : 0);
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        return {m_parameters
                    ? "Weights live in host memory; two blocks at a time are on the card."
                    : "Optimizer state and its step live in host memory, which must have room."};
    }

private:
    const Facts& m_facts;
    bool m_parameters;
};

} // namespace

std::unique_ptr<Law> zeroLaw(const Facts& facts, int stage, int gpus)
{
    return std::make_unique<ZeroLaw>(facts, stage, std::max(1, gpus));
}

std::unique_ptr<Law> offloadLaw(const Facts& facts, bool parameters)
{
    return std::make_unique<OffloadLaw>(facts, parameters);
}

} // namespace tidemark::diagnose
