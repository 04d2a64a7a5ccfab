// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/keyed_hash.h"
#include "core/base/language.h"
#include "core/diagnose/predict/law_helpers.h"
#include "core/diagnose/predict/laws.h"
#include "core/replay/rounding.h"

#include <algorithm>
#include <unordered_map>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;

/// Gradients end with their step and are made anew in the next backward.
class SetToNoneLaw final : public Law {
public:
    explicit SetToNoneLaw(const Facts& facts)
        : m_facts(facts)
        , m_steps(optimizerSpans(facts))
    {
        findAdditions();
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
        return {say("Gradients are freed after each optimizer step, not zeroed; nothing reads them "
                    "later.")};
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

    /// When another backward pass has made it: at the same place, stretched where that pass is
    /// whole. Of what was there before the trace: as the pass adds to gradients of its size.
    [[nodiscard]] StateId madeIn(const Pass& pass, const Subject& subject,
                                 const Interval<StateId>& own) const
    {
        const auto earlier = m_earlier.find(subject.bytes);
        if (own.isEmpty() && earlier != m_earlier.end()) {
            const auto& added = m_added[static_cast<std::size_t>(&pass - m_facts.passes.data())];
            const auto ends = added.find(subject.bytes);
            const std::size_t count = ends == added.end() ? 0 : ends->second.size();
            const auto& alike = earlier->second;
            const auto which = static_cast<std::size_t>(
                std::ranges::lower_bound(alike, subject.allocation) - alike.begin());
            if (count > which) {
                return ends->second[(2 * which + 1) * count / (2 * alike.size())];
            }
            if (!pass.complete) {
                return pass.backward.end; // cut off before
            }
        }
        const auto width = static_cast<double>(pass.backward.end.value - pass.backward.begin.value);
        double offset = width / 2;
        if (!own.isEmpty()) {
            const auto own_width = static_cast<double>(own.end.value - own.begin.value);
            offset = static_cast<double>(subject.begin.value - own.begin.value)
                * (pass.complete ? width / own_width : 1);
        }
        return afterAddition(subject,
                             {pass.backward.begin.value + static_cast<std::uint32_t>(offset)});
    }

    /// Gradients of before the trace, and in which order backwards drop what has their sizes.
    void findAdditions()
    {
        const auto& a = m_facts.allocations();
        for (const AllocationId id : m_facts.ids()) {
            if (m_facts.bucket(id) == Bucket::gradient && a.begin[id.index()] == StateId::start()) {
                m_earlier[m_facts.bytes(id)].push_back(id);
            }
        }
        m_added.resize(m_facts.passes.size());
        for (std::size_t i = 0; i < a.count() && !m_earlier.empty(); ++i) {
            const AllocationId id(i);
            const std::int32_t pass = m_facts.pass_of[i];
            if (pass >= 0 && m_facts.phase[i] == Phase::backward
                && m_facts.bucket(id) == Bucket::temporary
                && m_earlier.contains(m_facts.bytes(id))) {
                m_added[static_cast<std::size_t>(pass)][m_facts.bytes(id)].push_back(a.end[i]);
            }
        }
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
            const bool passes =
                m_facts.bucket(id) == Bucket::temporary || (m_facts.isOom() && m_facts.isLive(id));
            if (m_facts.bytes(id) == subject.bytes && m_facts.phase[i] == Phase::backward
                && passes) {
                after = std::max(after, a.end[i]);
            }
        }
        const bool is_failed = m_facts.isOom() && m_facts.moment.state <= until
            && m_facts.moment.requested == replay::roundToBlock({subject.bytes});
        return is_failed ? StateId{m_facts.replay.lastState().value + 1} : after;
    }

    /// A gradient of before the trace, which begins in a forward pass: dropped before that, too.
    /// `until`: where the first optimizer step begins.
    [[nodiscard]] bool beganWithout(const Subject& subject, StateId until) const
    {
        if (subject.begin != StateId::start() || m_facts.passes.empty()) {
            return false;
        }
        const Pass& first = m_facts.passes.front();
        const bool has_backward = !first.backward.isEmpty() || !first.complete;
        return first.isTraining() && !first.forward.isEmpty() && has_backward
            && first.end() <= until;
    }

    void cutStretch(const Subject& subject, const Interval<StateId>& live,
                    std::vector<Interval<StateId>>& result) const
    {
        const auto first_step = firstEndingAfter(m_steps, live.begin);
        const bool is_never = first_step == m_steps.end() || first_step->end >= live.end;
        const StateId dropped = is_never ? live.end : first_step->end;
        if (!beganWithout(subject, is_never ? live.end : first_step->begin)) {
            result.push_back({live.begin, dropped});
        }
        if (is_never && !result.empty()) {
            return;
        }
        const Interval<StateId> own = ownBackward(subject);
        for (const Pass& pass : m_facts.passes) {
            if (pass.backward.isEmpty() || (!result.empty() && pass.backward.begin < dropped)) {
                continue;
            }
            const StateId begin = madeIn(pass, subject, own);
            if (begin >= pass.backward.end) {
                continue; // that pass was cut off before
            }
            const auto step = firstEndingAfter(m_steps, begin);
            const StateId end = std::min(step == m_steps.end() ? live.end : step->end, live.end);
            if (begin < end && (result.empty() || result.back().end <= begin)) {
                result.push_back({begin, end});
            }
        }
    }

    const Facts& m_facts;
    std::vector<Interval<StateId>> m_steps;
    std::unordered_map<std::int64_t, std::vector<AllocationId>, KeyedNumberHash>
        m_earlier; ///< Gradients of before the trace per size.
    std::vector<std::unordered_map<std::int64_t, std::vector<StateId>, KeyedNumberHash>>
        m_added; ///< Per pass and size: the ends of what its backward made and dropped.
};

} // namespace

std::unique_ptr<Law> setToNoneLaw(const Facts& facts)
{
    return std::make_unique<SetToNoneLaw>(facts);
}

} // namespace tidemark::diagnose
