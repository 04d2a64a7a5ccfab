// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/diagnose/facts/optimizer_kinds.h"
#include "core/diagnose/facts/unseen_states.h"
#include "core/diagnose/predict/law_helpers.h"
#include "core/diagnose/predict/laws.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

class OptimizerLaw final : public Law {
public:
    OptimizerLaw(const Facts& facts, const OptimizerKind& kind)
        : m_facts(facts)
        , m_kind(kind)
        , m_recorded(std::max(facts.states.copies, 0.0))
        , m_largest_parameter(facts.states.largest_parameter)
    {
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet({Bucket::optimizer_state, Bucket::temporary});
    }
    [[nodiscard]] Amount factor(const Subject& subject) const override
    {
        if (subject.bucket == Bucket::optimizer_state) {
            return stateFactor(static_cast<double>(subject.bytes));
        }
        return isOptimizerTransient(subject) ? m_kind.transients : Amount::exactly(1);
    }
    [[nodiscard]] std::vector<Span> additions() const override
    {
        std::vector<Span> spans;
        // Newton-Schulz works on about three 16-bit copies of the largest matrix. Adafactor takes
        // one parameter after the other unless it is told otherwise.
        const Amount copies = m_kind.name == "muon" ? Amount{0, 0.75, 1.5}
            : m_kind.name == "adafactor"            ? Amount{1, 2, 3}
                                                    : Amount{};
        const auto largest = static_cast<double>(m_largest_parameter);
        for (const auto& span : optimizerSpans(m_facts)) {
            if (copies.high > 0) {
                spans.push_back({span.begin, span.end, copies.times(Amount::exactly(largest))});
            }
        }
        return spans;
    }
    /// Of state that was never seen, the configuration's or Adam's.
    [[nodiscard]] Amount futureState() const override
    {
        const auto bytes = static_cast<double>(std::max<std::int64_t>(m_largest_parameter, 1));
        if (m_recorded >= kNoState) {
            return factorOf(bytes, m_recorded);
        }
        const OptimizerKind* const configured = configuredOptimizer(m_facts);
        const bool is_it = configured != nullptr && configured->name == m_kind.name;
        return is_it ? Amount::exactly(1)
                     : factorOf(bytes, configured == nullptr ? 2 : configured->copies);
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        return {std::string(translated(m_kind.says))};
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
        const double kept = stateCopies(m_kind, bytes, elementWidth());
        if (m_kind.name == "adafactor") {
            return {kept / 2, kept, std::min(1.0, 8 * kept)};
        }
        const double factor = std::min(1.0, kept / copies);
        if (m_kind.bytes_per_element > 0) {
            return {factor, factor, std::min(1.0, 1.05 * factor)};
        }
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
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet({Bucket::temporary});
    }
    [[nodiscard]] Amount factor(const Subject& subject) const override
    {
        return Amount::exactly(isOptimizerTransient(subject) ? 0 : 1);
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
                ? say("The fused optimizer allocates no temporaries.")
                : say("Tensors are updated one by one; two temporaries of the largest remain.")};
    }

private:
    const Facts& m_facts;
    bool m_fused;
};

} // namespace

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

std::unique_ptr<Law> optimizerLaw(const Facts& facts, const std::string& name)
{
    const OptimizerKind* const kind = optimizerKind(name);
    return kind == nullptr ? nullptr : std::make_unique<OptimizerLaw>(facts, *kind);
}

std::unique_ptr<Law> optimizerTransientLaw(const Facts& facts, bool fused)
{
    return std::make_unique<OptimizerTransientLaw>(facts, fused);
}

} // namespace tidemark::diagnose
