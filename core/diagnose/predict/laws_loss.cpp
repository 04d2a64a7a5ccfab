// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/diagnose/facts/linear_calls.h"
#include "core/diagnose/predict/law_helpers.h"
#include "core/diagnose/predict/laws.h"
#include "core/message/texts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

/// A loss in parts computes one part of the logits after the other, and the gradients of the head's
/// weight and of what the head reads stand beside it. A fused one makes each part's gradient at
/// once and in place, so that a part has one copy. One that drops its parts and makes them again in
/// backward has two copies of a part, or, after them, what the part adds to the weight's gradient
/// and the sum of both.
/// Where the change does not say which of the two is meant the prediction lies between them.
class FusedLossLaw final : public Law {
public:
    FusedLossLaw(const Facts& facts, const Change& change)
        : m_facts(facts)
        , m_part(change.number > 0 ? 1 / change.number : usualPart(facts.program))
        , m_is_said(change.number > 0)
        , m_knows_kind(change.word != "on")
        , m_remade(!m_knows_kind                    ? kHalfRemade
                       : change.word == "recompute" ? 1
                                                    : 0)
        , m_passes(facts.passes.size())
    {
        for (const AllocationId a : facts.ids()) {
            const std::int32_t p = facts.passOf(a);
            if (p < 0) {
                continue;
            }
            OfPass& pass = m_passes[static_cast<std::size_t>(p)];
            if (facts.role(a) == Role::logits) {
                m_evaluates =
                    m_evaluates || !facts.passes[static_cast<std::size_t>(p)].isTraining();
                pass.logits = std::max(pass.logits, facts.bytes(a));
            } else if (facts.bucket(a) == Bucket::gradient && pass.head.isNone()
                       && !isSeed(a, pass)) {
                pass.head = a; // backward begins at the head
                m_head_bytes = std::max(m_head_bytes, facts.bytes(a));
            } else if (facts.bucket(a) == Bucket::activation && pass.logits == 0
                       && facts.phaseOf(a) == Phase::forward && !isStatistic(a, pass)) {
                pass.hidden = facts.bytes(a);
            }
        }
        for (const AllocationId a : facts.ids()) {
            if (facts.bucket(a) == Bucket::gradient && facts.bytes(a) == m_head_bytes) {
                const StateId end = facts.end(a);
                m_heads.push_back(
                    {facts.begin(a), m_heads.empty() ? end : std::max(end, m_heads.back().end)});
            }
        }
        for (std::size_t p = 0; p < m_passes.size() && m_head_bytes == 0; ++p) {
            m_head_bytes = m_passes[p].logits > 0 ? headOf(facts, facts.passes[p], m_passes[p]) : 0;
        }
    }
    [[nodiscard]] BucketSet buckets() const override
    {
        return bucketSet({Bucket::activation, Bucket::temporary, Bucket::output});
    }
    [[nodiscard]] Amount factor(const Subject& subject) const override
    {
        const double share = subject.role == Role::logits ? 1 : subject.logits_share;
        if (share > 0 && isInEvaluation(subject)) {
            return {0, 1, 1};
        }
        if (share > 0 && subject.allocation.isNone() && !reachedBackward(subject)) {
            return m_is_said ? Amount{m_part, m_part, 2 * m_part}
                             : Amount{m_part / 2, m_part, 2 * m_part};
        }
        return share > 0 ? Amount{0, 1 - share, share == 1 ? 0.0 : 1.0} : Amount::exactly(1);
    }
    [[nodiscard]] std::vector<Span> additions() const override
    {
        std::vector<Span> spans;
        for (std::size_t p = 0; p < m_passes.size(); ++p) {
            addTo(m_facts.passes[p], m_passes[p], spans);
        }
        return spans;
    }
    [[nodiscard]] std::int64_t laterEvaluation() const override
    {
        static constexpr std::int64_t kCopies = 2; // with the log-softmax
        const bool was_recorded = std::ranges::any_of(
            m_facts.passes, [](const Pass& pass) { return !pass.isTraining(); });
        std::int64_t logits = 0;
        for (const OfPass& pass : m_passes) {
            logits = std::max(logits, pass.logits);
        }
        return m_facts.isOom() && !was_recorded ? kCopies * logits : 0;
    }
    [[nodiscard]] std::vector<std::string> assumptions() const override
    {
        const std::int64_t later = laterEvaluation();
        std::vector<std::string> texts{partsText()};
        if (later > 0) {
            texts.push_back(say(
                "No evaluation recorded; the upper bound assumes one with full logits, {} at once.",
                Bytes{later}));
        }
        return texts;
    }

private:
    [[nodiscard]] std::string partsText() const
    {
        const double parts = 1 / m_part;
        if (m_evaluates) {
            return m_is_said ? say("The loss is computed in {:.0f} chunks; only evaluation is "
                                   "assumed to need full logits.",
                                   parts)
                             : say("The loss is computed in {:.0f} chunks, the usual number; only "
                                   "evaluation is assumed to need full logits.",
                                   parts);
        }
        return m_is_said
            ? say("The loss is computed in {:.0f} chunks; nothing else reads the logits.", parts)
            : say("The loss is computed in {:.0f} chunks, the usual number; nothing else reads the "
                  "logits.",
                  parts);
    }

    static constexpr double kUsualParts = 8;

    /// As Liger cuts them: as many parts as the vocabulary is larger than the hidden size, of a
    /// power of two of rows (ops/fused_linear_cross_entropy.py).
    static double usualPart(const program::Program& program)
    {
        using enum program::DimensionName;
        const auto valueOf = [&program](program::DimensionName name) {
            const program::Dimension* const found = program.find(name);
            return found == nullptr ? 0 : found->value;
        };
        const std::int64_t width = valueOf(hidden);
        const std::int64_t rows = valueOf(tokens);
        if (width <= 0 || rows <= 0 || valueOf(vocabulary) <= 0) {
            return 1 / kUsualParts;
        }
        const std::int64_t parts = (valueOf(vocabulary) + width - 1) / width;
        const auto share = static_cast<std::uint64_t>((rows + parts - 1) / parts);
        return std::min(1.0, static_cast<double>(std::bit_ceil(share)) / static_cast<double>(rows));
    }

    /// How much a loss that remakes its parts counts beside the fused ones: with eight parts either
    /// is then within 5 % of the run's peak.
    static constexpr double kHalfRemade = 0.45;

    struct OfPass {
        std::int64_t logits = 0; ///< The largest.
        std::int64_t hidden = 0; ///< What the head reads.
        AllocationId head; ///< The gradient of its weight.
    };

    /// Where no backward made a gradient: the weight of the layer that made the logits.
    static std::int64_t headOf(const Facts& facts, const Pass& pass, const OfPass& what)
    {
        const LinearCalls found = findLinearCalls(facts, pass);
        const auto head =
            std::find_if(found.calls.rbegin(), found.calls.rend(), [&](const LayerCall& call) {
                return std::llround(call.output) == what.logits;
            });
        return found.is_sure && head != found.calls.rend() ? found.weights[head->weight].bytes : 0;
    }
    /// Of a norm: one number per row.
    [[nodiscard]] bool isStatistic(AllocationId a, const OfPass& pass) const
    {
        return m_facts.bytes(a) * 32 <= pass.hidden;
    }

    /// The gradient of the loss itself, a number, where the program kept it.
    [[nodiscard]] bool isSeed(AllocationId a, const OfPass& pass) const
    {
        return m_facts.bytes(a) * 4096 <= pass.hidden;
    }

    /// What computes the loss in parts does so in training; most then make whole logits in
    /// evaluation (Liger: `skip_logits` follows `self.training`), some do not.
    [[nodiscard]] bool isInEvaluation(const Subject& s) const
    {
        return s.pass >= 0 && !m_facts.passes[static_cast<std::size_t>(s.pass)].isTraining();
    }
    [[nodiscard]] bool reachedBackward(const Subject& s) const
    {
        return s.pass >= 0 && !m_facts.passes[static_cast<std::size_t>(s.pass)].backward.isEmpty();
    }

    /// Parts of the logits that stand beside each other. Where it is not said how many there are,
    /// packages differ: from as many as rows to four.
    [[nodiscard]] Amount logitsOf(double part, double copies) const
    {
        const double mid = copies * part;
        return !m_is_said  ? Amount{part / 4, mid, std::max(part, part / m_part / kUsualParts) * 6}
            : m_knows_kind ? Amount{0.75 * mid, mid, 1.25 * mid}
                           : Amount{part, mid, 3 * part};
    }

    /// Whether the head's gradient is there already, from another micro-batch or zeroed.
    [[nodiscard]] bool isThere(StateId state) const
    {
        const auto later = std::ranges::upper_bound(m_heads, state, {}, &Interval<StateId>::begin);
        return later != m_heads.begin() && std::prev(later)->end > state;
    }

    void addTo(const Pass& pass, const OfPass& what, std::vector<Span>& spans) const
    {
        if (what.logits == 0) {
            return;
        }
        if (pass.backward.isEmpty()) {
            addToLoss(pass, what, spans);
            return;
        }
        const StateId border = pass.backward.begin;
        const StateId before{border.value - (border.value > 0 ? 1 : 0)};
        const auto part = m_part * static_cast<double>(what.logits);
        const auto head = static_cast<double>(m_head_bytes);
        const StateId behind{border.value + 1};
        // The larger of two moments, which other laws shrink each in its way: of the last part, and
        // of the sum.
        spans.push_back({before, border, logitsOf(part, 2 + m_remade), Bucket::activation});
        if (m_remade > 0) {
            const double beside = (2 - 2 * m_remade) * part;
            const double added = 2 * m_remade * head;
            spans.push_back({border, behind, Amount{0, beside, beside}, Bucket::activation});
            spans.push_back({border, behind,
                             m_knows_kind ? Amount::exactly(added) : Amount{0, added, 2 * head},
                             Bucket::gradient});
        }
        spans.push_back({before, behind, Amount::exactly(static_cast<double>(what.hidden)),
                         Bucket::activation});
        // Where it is there already the sum of the parts is added to it as soon as it is whole.
        const StateId made = isThere(border) ? behind
            : what.head.isNone()             ? pass.backward.end
                                             : m_facts.allocations().begin[what.head.index()];
        if (before < made) {
            spans.push_back({before, made, Amount::exactly(static_cast<double>(m_head_bytes)),
                             Bucket::gradient});
        }
    }

    /// Where a pass died in its loss: beside what failed and its gradient, which shrink to parts,
    /// the gradients of what the head reads and of its weight, and a part that is made again.
    void addToLoss(const Pass& pass, const OfPass& what, std::vector<Span>& spans) const
    {
        const StateId now = m_facts.moment.state;
        const bool died_here = m_facts.isOom() && pass.forward.begin <= now
            && now <= pass.forward.end
            && m_facts.stacks.traits(m_facts.failedStack()).has(label::Trait::loss);
        if (!died_here) {
            return;
        }
        const StateId behind{now.value + 1};
        const double remade = m_remade * m_part * static_cast<double>(what.logits);
        spans.push_back({now, behind, {0, remade, 2 * remade}, Bucket::activation});
        spans.push_back(
            {now, behind, Amount::exactly(static_cast<double>(what.hidden)), Bucket::activation});
        if (!isThere(now)) {
            spans.push_back({now, behind, Amount::exactly(static_cast<double>(m_head_bytes)),
                             Bucket::gradient});
        }
    }

    const Facts& m_facts;
    double m_part; ///< Of the logits.
    bool m_is_said; ///< Of how many parts there are.
    bool m_knows_kind; ///< Fused, or made again.
    double m_remade; ///< How much it counts that parts are made again: 0 to 1.
    std::vector<OfPass> m_passes;
    std::int64_t m_head_bytes = 0;
    /// Gradients of that size in the order in which they begin, each to the last end until then.
    std::vector<Interval<StateId>> m_heads;
    bool m_evaluates = false; ///< Some evaluation makes logits.
};

} // namespace

std::unique_ptr<Law> fusedLossLaw(const Facts& facts, const Change& change)
{
    return std::make_unique<FusedLossLaw>(facts, change);
}

} // namespace tidemark::diagnose
