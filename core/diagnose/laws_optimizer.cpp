// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/law_helpers.h"
#include "core/diagnose/laws.h"
#include "core/diagnose/optimizer_kinds.h"
#include "core/diagnose/unseen_states.h"
#include "core/replay/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

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
        return {std::string(m_kind.says)};
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
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet({Bucket::gradient});
    }
    [[nodiscard]] std::string_view cutting() const override
    {
        return "set to none";
    }
    void cut(const Subject& subject, Life& life) const override
    {
        std::vector<Interval<StateId>> result;
        for (const Interval<StateId>& live : life.live) {
            cutStretch(subject, live, result);
        }
        life.live = std::move(result);
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        return {"Gradients are dropped after each optimizer step, not zeroed; nothing reads them "
                "later."};
    }

private:
    /// The backward pass that made this gradient; empty if that was before the trace.
    [[nodiscard]] Interval<StateId> ownBackward(const Subject& subject) const
    {
        if (subject.pass < 0) {
            return {};
        }
        const auto& backward = m_facts.passes[static_cast<std::size_t>(subject.pass)].backward;
        return backward.contains(subject.begin) ? backward : Interval<StateId>{};
    }

    /// Where another backward pass makes it: at the same place, stretched where that pass is whole.
    static StateId madeIn(const Pass& pass, const Interval<StateId>& own, StateId recorded)
    {
        const auto width = static_cast<double>(pass.backward.end.value - pass.backward.begin.value);
        if (own.isEmpty()) {
            return {pass.backward.begin.value + static_cast<std::uint32_t>(width / 2)};
        }
        const auto offset = static_cast<double>(recorded.value - own.begin.value);
        const auto own_width = static_cast<double>(own.end.value - own.begin.value);
        const double stretched = pass.complete ? offset / own_width * width : offset;
        return {pass.backward.begin.value + static_cast<std::uint32_t>(stretched)};
    }

    /// What the recorded pass added to the gradient near `made` stands for it until that is gone.
    [[nodiscard]] StateId afterAddition(const Subject& subject, StateId made) const
    {
        static constexpr std::uint32_t kNear = 16; // events
        const auto& a = m_facts.allocations();
        const StateId from{made.value - std::min(made.value, kNear)};
        const StateId until{made.value + kNear};
        StateId after = made;
        const auto first = std::ranges::lower_bound(a.begin, from) - a.begin.begin();
        for (auto i = static_cast<std::size_t>(first); i < a.count() && a.begin[i] <= until; ++i) {
            const AllocationId id(i);
            const bool passes = m_facts.bucket(id) == Bucket::temporary
                || (m_facts.isOom() && a.isLive(id, m_facts.moment.state));
            if (m_facts.bytes(id) == subject.bytes && m_facts.phase[i] == Phase::backward
                && passes) {
                after = std::max(after, a.end[i]);
            }
        }
        const bool is_failed = m_facts.isOom() && m_facts.moment.state <= until
            && m_facts.moment.requested == replay::roundToBlock({subject.bytes});
        return is_failed ? StateId{m_facts.replay.lastState().value + 1} : after;
    }

    void cutStretch(const Subject& subject, const Interval<StateId>& live,
                    std::vector<Interval<StateId>>& result) const
    {
        const auto first_step = firstEndingAfter(m_steps, live.begin);
        if (first_step == m_steps.end() || first_step->end >= live.end) {
            result.push_back(live);
            return;
        }
        result.push_back({live.begin, first_step->end});
        const Interval<StateId> own = ownBackward(subject);
        for (const Pass& pass : m_facts.passes) {
            if (pass.backward.isEmpty() || pass.backward.begin < first_step->end) {
                continue;
            }
            const StateId begin = afterAddition(subject, madeIn(pass, own, subject.begin));
            if (begin >= pass.backward.end) {
                continue; // that pass was cut off before
            }
            const auto step = firstEndingAfter(m_steps, begin);
            const StateId end = std::min(step == m_steps.end() ? live.end : step->end, live.end);
            if (begin < end && (result.back().end <= begin)) {
                result.push_back({begin, end});
            }
        }
    }

    const Facts& m_facts;
    std::vector<Interval<StateId>> m_steps;
};

} // namespace

std::unique_ptr<Law> optimizerLaw(const Facts& facts, const std::string& name)
{
    const OptimizerKind* const kind = optimizerKind(name);
    return kind == nullptr ? nullptr : std::make_unique<OptimizerLaw>(facts, *kind);
}

std::unique_ptr<Law> optimizerTransientLaw(const Facts& facts, bool fused)
{
    return std::make_unique<OptimizerTransientLaw>(facts, fused);
}

std::unique_ptr<Law> setToNoneLaw(const Facts& facts)
{
    return std::make_unique<SetToNoneLaw>(facts);
}

} // namespace tidemark::diagnose
