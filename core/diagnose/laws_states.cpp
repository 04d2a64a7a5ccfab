// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

void scale(std::vector<Span>& spans, const Amount& factor)
{
    for (Span& span : spans) {
        span.bytes = span.bytes.times(factor);
    }
}

bool isTransient(const Subject& s)
{
    return s.bucket == Bucket::temporary
        && (s.phase == Phase::optimizer || s.role == Role::optimizer_transient);
}

/// Largest parameter or optimizer transient: the unit in which optimizers work one after the other.
std::int64_t largestOf(const Facts& facts, Bucket bucket)
{
    std::int64_t largest = 0;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.bucket(a) == bucket) {
            largest = std::max(largest, facts.bytes(a));
        }
    }
    return largest;
}

/// Where optimizers work, as states.
std::vector<Interval<StateId>> optimizerSpans(const Facts& facts)
{
    std::vector<Interval<StateId>> spans;
    for (const label::PhaseSpan& span : facts.labels.phases) {
        if (span.phase == Phase::optimizer) {
            spans.push_back({StateId::before(span.first), StateId{span.end.value}});
        }
    }
    return spans;
}

std::vector<Interval<StateId>>::const_iterator
firstEndingAfter(const std::vector<Interval<StateId>>& spans, StateId state)
{
    return std::ranges::upper_bound(spans, state, {}, &Interval<StateId>::end);
}

/// What an optimizer keeps, as copies of the trainable parameters, and makes in passing.
struct OptimizerKind {
    std::string_view name;
    double copies; ///< Of the parameter's own width.
    double bytes_per_element; ///< Instead of copies, where it does not follow the parameter; 0 =
                              ///< copies.
    bool keeps_transients; ///< Works through temporaries as large as those recorded.
    std::string_view assumption;
};

constexpr std::array<OptimizerKind, 7> kOptimizers{{
    {"sgd", 0, 0, false, "Plain SGD keeps no state."},
    {"sgd-momentum", 1, 0, false, "SGD with momentum keeps one copy of the trainable parameters."},
    {"lion", 1, 0, true, "Lion keeps one copy of the trainable parameters."},
    {"adamw8bit", 0, 2.03, false,
     "8-bit Adam keeps 2.03 B per element; tensors below 4,096 elements stay in 32 bits."},
    {"paged-adamw8bit", 0, 2.03, false,
     "Paged state lives in CUDA unified memory: outside this allocator, on the card or on the host "
     "as "
     "room allows."},
    {"adafactor", 0, 0, true,
     "Adafactor without momentum keeps one row and one column per matrix."},
    {"muon", 1, 0, true,
     "Muon keeps one copy for hidden matrices; embeddings and vectors stay with AdamW."},
}};

class OptimizerLaw final : public Law {
public:
    OptimizerLaw(const Facts& facts, const OptimizerKind& kind)
        : m_facts(facts)
        , m_kind(kind)
        , m_recorded(std::max(facts.states.copies, 0.0))
        , m_largest_parameter(largestOf(facts, Bucket::parameter))
    {
    }
    void apply(const Subject& subject, std::vector<Span>& spans) const override
    {
        if (subject.bucket == Bucket::optimizer_state) {
            scale(spans, stateFactor(static_cast<double>(subject.bytes)));
        } else if (isTransient(subject) && !m_kind.keeps_transients) {
            scale(spans, {0, 0, 0.25});
        }
    }
    [[nodiscard]] std::vector<Span> additions() const override
    {
        std::vector<Span> spans;
        if (m_kind.name != "muon") {
            return spans;
        }
        // Newton-Schulz works on about three 16-bit copies of the largest matrix.
        const double work = 1.5 * static_cast<double>(m_largest_parameter);
        for (const auto& span : optimizerSpans(m_facts)) {
            spans.push_back({span.begin, span.end, {0, work / 2, work}});
        }
        return spans;
    }
    /// State that was never seen is taken for Adam's two copies.
    [[nodiscard]] Amount futureState() const override
    {
        const double copies = m_recorded < kNoState ? 2 : m_recorded;
        return factorOf(static_cast<double>(std::max<std::int64_t>(m_largest_parameter, 1)),
                        copies);
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        return {std::string(m_kind.assumption)};
    }

private:
    static constexpr double kNoState = 0.05; // copies; less is step counters
    [[nodiscard]] double elementWidth() const
    {
        return m_facts.sixteen_bit_states && m_recorded < 3 ? 2 : 4;
    }

    [[nodiscard]] Amount stateFactor(double bytes) const
    {
        // Without any state there is nothing that could shrink.
        return m_recorded < kNoState ? Amount::exactly(1) : factorOf(bytes, m_recorded);
    }

    [[nodiscard]] Amount factorOf(double bytes, double recorded) const
    {
        const double copies = std::max(1.0, std::round(recorded));
        if (m_kind.name == "paged-adamw8bit") {
            return {0, 0, 0.02};
        }
        if (m_kind.bytes_per_element > 0) {
            static constexpr double kSmallestTensor = 4096;
            const double width = elementWidth();
            if (bytes / width < kSmallestTensor) {
                return Amount::exactly(1);
            }
            const double factor = std::min(1.0, m_kind.bytes_per_element / (copies * width));
            return {factor, factor, std::min(1.0, 1.05 * factor)};
        }
        if (m_kind.name == "adafactor") {
            const double vectors = std::sqrt(std::max(1.0, bytes / 4)) * 4;
            const double factor = std::min(1.0, vectors / std::max(1.0, bytes));
            return {factor / 2, factor, std::min(1.0, 8 * factor)};
        }
        const double factor = std::min(1.0, m_kind.copies / copies);
        const bool may_stay =
            m_kind.name == "muon" && bytes >= static_cast<double>(m_largest_parameter);
        return {factor, factor, may_stay ? 1 : factor};
    }

    const Facts& m_facts;
    const OptimizerKind& m_kind;
    double m_recorded; ///< Copies of the parameters in the recorded state.
    std::int64_t m_largest_parameter;
};

/// One tensor after the other (or all in registers) instead of lists as long as the model.
class OptimizerTransientLaw final : public Law {
public:
    OptimizerTransientLaw(const Facts& facts, bool fused)
        : m_facts(facts)
        , m_fused(fused)
    {
    }
    void apply(const Subject& subject, std::vector<Span>& spans) const override
    {
        if (isTransient(subject)) {
            scale(spans, Amount::exactly(0));
        }
    }
    [[nodiscard]] std::vector<Span> additions() const override
    {
        std::vector<Span> spans;
        if (m_fused) {
            return spans;
        }
        const std::vector<Interval<StateId>> steps = optimizerSpans(m_facts);
        std::vector<std::int64_t> largest(steps.size(), 0);
        for (std::size_t i = 0; i < m_facts.allocations().count(); ++i) {
            const bool is_transient = m_facts.labels.bucket[i] == Bucket::temporary
                && m_facts.phase[i] == Phase::optimizer;
            const auto step = firstEndingAfter(steps, m_facts.allocations().begin[i]);
            if (is_transient && step != steps.end()) {
                auto& most = largest[static_cast<std::size_t>(step - steps.begin())];
                most = std::max(most, m_facts.allocations().requested[i].value);
            }
        }
        for (std::size_t k = 0; k < steps.size(); ++k) {
            // A square root and its quotient stand side by side for one tensor.
            const auto bytes = static_cast<double>(largest[k]);
            spans.push_back({steps[k].begin, steps[k].end, {bytes, 2 * bytes, 3 * bytes}});
        }
        return spans;
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        return {
            m_fused
                ? "The fused optimizer makes no temporaries."
                : "One tensor is updated after the other; two temporaries of the largest remain."};
    }

private:
    const Facts& m_facts;
    bool m_fused;
};

/// Gradients end with their step and are made anew in the next backward.
class SetToNoneLaw final : public Law {
public:
    explicit SetToNoneLaw(const Facts& facts)
        : m_facts(facts)
        , m_steps(optimizerSpans(facts))
    {
    }
    void apply(const Subject& subject, std::vector<Span>& spans) const override
    {
        if (subject.allocation.isNone() || subject.bucket != Bucket::gradient) {
            return;
        }
        std::vector<Span> result;
        for (const Span& span : spans) {
            cut(subject, span, result);
        }
        spans = std::move(result);
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        return {"Gradients are dropped after each optimizer step, not zeroed; nothing reads them "
                "later."};
    }

private:
    /// Where in its backward pass this gradient is made, 0 to 1.
    [[nodiscard]] double placeInBackward(const Subject& subject) const
    {
        if (subject.pass < 0) {
            return 0.5;
        }
        const Interval<StateId>& backward =
            m_facts.passes[static_cast<std::size_t>(subject.pass)].backward;
        if (backward.isEmpty() || !backward.contains(subject.begin)) {
            return 0.5;
        }
        return static_cast<double>(subject.begin.value - backward.begin.value)
            / static_cast<double>(backward.end.value - backward.begin.value);
    }

    void cut(const Subject& subject, const Span& span, std::vector<Span>& result) const
    {
        const auto first_step = firstEndingAfter(m_steps, span.begin);
        if (first_step == m_steps.end() || first_step->end >= span.end) {
            result.push_back(span);
            return;
        }
        result.push_back({span.begin, first_step->end, span.bytes});
        const double place = placeInBackward(subject);
        for (const Pass& pass : m_facts.passes) {
            if (pass.backward.isEmpty() || pass.backward.begin < first_step->end) {
                continue;
            }
            const double width =
                static_cast<double>(pass.backward.end.value - pass.backward.begin.value);
            const StateId begin{pass.backward.begin.value
                                + static_cast<std::uint32_t>(place * width)};
            const auto step = firstEndingAfter(m_steps, begin);
            const StateId end = std::min(step == m_steps.end() ? span.end : step->end, span.end);
            if (begin < end && (result.back().end <= begin)) {
                result.push_back({begin, end, span.bytes});
            }
        }
    }

    const Facts& m_facts;
    std::vector<Interval<StateId>> m_steps;
};

class ZeroLaw final : public Law {
public:
    ZeroLaw(const Facts& facts, int stage, int gpus)
        : m_facts(facts)
        , m_stage(stage)
        , m_gpus(gpus)
    {
    }
    void apply(const Subject& subject, std::vector<Span>& spans) const override
    {
        const bool shards = (subject.bucket == Bucket::optimizer_state || isTransient(subject))
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
                spans.push_back(
                    {pass.backward.begin, pass.backward.end, {largest, gradient, 2 * gradient}});
            }
            if (m_stage >= 3) {
                const double gathered = 2 * std::max(largest, block);
                spans.push_back(
                    {pass.forward.begin, pass.end(), {largest, gathered, 2 * gathered}});
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
    void apply(const Subject& subject, std::vector<Span>& spans) const override
    {
        const bool leaves = m_parameters
            ? subject.bucket == Bucket::parameter
            : subject.bucket == Bucket::optimizer_state || isTransient(subject);
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
        for (const Pass& pass : m_facts.passes) {
            const double working = 2 * std::max(largest, block);
            spans.push_back({pass.forward.begin, pass.end(), {largest, working, 2 * working}});
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

/// Only small added matrices are trained: their gradients and states replace those of the weights.
class AdapterLaw final : public Law {
public:
    AdapterLaw(const Facts& facts, int rank, bool quantised)
        : m_facts(facts)
        , m_rank(rank)
        , m_quantised(quantised)
        , m_width(facts.sixteen_bit_states ? 2 : 4)
    {
    }
    void apply(const Subject& subject, std::vector<Span>& spans) const override
    {
        if (subject.bucket == Bucket::gradient || subject.bucket == Bucket::optimizer_state
            || isTransient(subject)) {
            scale(spans, adapterFactor(static_cast<double>(subject.bytes)));
        } else if (subject.bucket == Bucket::parameter && m_quantised
                   && static_cast<double>(subject.bytes) / m_width >= kSmallestMatrix) {
            scale(spans, {0.516 / m_width, 0.54 / m_width, std::min(1.0, 0.75 / m_width)});
        }
    }
    [[nodiscard]] std::vector<Span> additions() const override
    {
        Amount adapters{};
        for (std::size_t i = 0; i < m_facts.allocations().count(); ++i) {
            const AllocationId a(i);
            if (m_facts.bucket(a) == Bucket::parameter
                && m_facts.allocations().isLive(a, m_facts.moment.state)) {
                const auto bytes = static_cast<double>(m_facts.bytes(a));
                adapters += Amount::exactly(bytes).times(adapterFactor(bytes));
            }
        }
        return {{StateId::start(), StateId{m_facts.replay.lastState().value + 1}, adapters}};
    }
    [[nodiscard]] Amount futureState() const override
    {
        return wholeFactor();
    }
    [[nodiscard]] Amount futureGradients() const override
    {
        return wholeFactor();
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        std::vector<std::string> texts{fmt::format(
            "Adapters of rank {} on the large matrices; activations stay as they are.", m_rank)};
        if (m_quantised) {
            texts.emplace_back(
                "Quantised weights take 0.52 to 0.56 B per parameter; embeddings and norms "
                "keep their precision.");
        }
        return texts;
    }

private:
    static constexpr double kSmallestMatrix = 16384; // elements; vectors get no adapter

    /// r (m + n) of m n elements: exactly 2 r / √(m n) for a square matrix, more for an oblong one.
    [[nodiscard]] Amount adapterFactor(double bytes) const
    {
        const double elements = bytes / m_width;
        if (elements < kSmallestMatrix) {
            return {0, 0, 0.05};
        }
        const double factor = std::min(1.0, 2 * m_rank / std::sqrt(elements));
        return {factor / 2, factor, std::min(1.0, 2.5 * factor)};
    }
    [[nodiscard]] Amount wholeFactor() const
    {
        return adapterFactor(static_cast<double>(largestOf(m_facts, Bucket::parameter)));
    }

    const Facts& m_facts;
    int m_rank;
    bool m_quantised;
    double m_width; ///< Bytes per element.
};

} // namespace

std::unique_ptr<Law> optimizerLaw(const Facts& facts, const std::string& name)
{
    const auto kind = std::ranges::find(kOptimizers, std::string_view(name), &OptimizerKind::name);
    return kind == kOptimizers.end() ? nullptr : std::make_unique<OptimizerLaw>(facts, *kind);
}

std::unique_ptr<Law> optimizerTransientLaw(const Facts& facts, bool fused)
{
    return std::make_unique<OptimizerTransientLaw>(facts, fused);
}

std::unique_ptr<Law> setToNoneLaw(const Facts& facts)
{
    return std::make_unique<SetToNoneLaw>(facts);
}

std::unique_ptr<Law> zeroLaw(const Facts& facts, int stage, int gpus)
{
    return std::make_unique<ZeroLaw>(facts, stage, std::max(1, gpus));
}

std::unique_ptr<Law> offloadLaw(const Facts& facts, bool parameters)
{
    return std::make_unique<OffloadLaw>(facts, parameters);
}

std::unique_ptr<Law> adapterLaw(const Facts& facts, int rank, bool quantised)
{
    return std::make_unique<AdapterLaw>(facts, rank, quantised);
}

} // namespace tidemark::diagnose
