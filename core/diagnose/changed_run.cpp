// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/changed_run.h"

#include "core/base/column.h"
#include "core/base/keyed_hash.h"
#include "core/diagnose/size_kinds.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

std::int64_t rounded(double bytes)
{
    return std::llround(std::max(bytes, 0.0));
}

Totals totalsOf(const Amount& b)
{
    return {rounded(std::min({b.low, b.mid, b.high})), rounded(b.mid),
            rounded(std::max({b.low, b.mid, b.high}))};
}

Subject subjectOf(const Facts& facts, AllocationId a)
{
    const replay::Allocations& all = facts.allocations();
    return {a,
            facts.bucket(a),
            facts.role(a),
            facts.phase[a.index()],
            facts.pass_of[a.index()],
            facts.bytes(a),
            all.begin[a.index()],
            all.end[a.index()],
            all.stack[a.index()]};
}

/// Bytes of something that the recorded run never got, after the change.
Amount bytesAfter(const Facts& facts, const Laws& laws, Bucket bucket, label::Role role,
                  std::int64_t bytes)
{
    const StateId state = facts.moment.state;
    const StateId next{state.value + 1};
    const StackId stack =
        facts.isOom() ? facts.device.events.stack[facts.moment.oom.index()] : StackId::none();
    const Subject subject{AllocationId::none(),
                          bucket,
                          role,
                          facts.phaseAtMoment(),
                          passAt(facts.passes, state),
                          bytes,
                          state,
                          next,
                          stack};
    std::vector<Span> spans{{state, next, Amount::exactly(static_cast<double>(bytes))}};
    for (const auto& law : laws) {
        law->apply(subject, spans);
    }
    Amount sum{};
    for (const Span& span : spans) {
        if (span.begin <= state && state < span.end) {
            sum += span.bytes;
        }
    }
    return sum;
}

/// What becomes of something large that the recorded run never got.
Amount factorOn(const Facts& facts, const Laws& laws, Bucket bucket, label::Role role)
{
    static constexpr std::int64_t kSample = 1LL << 30;
    return bytesAfter(facts, laws, bucket, role, kSample)
        .times({1.0 / kSample, 1.0 / kSample, 1.0 / kSample});
}

Amount failedAfter(const Facts& facts, const Laws& laws)
{
    const label::FailedRequest* failed = facts.failed();
    return bytesAfter(facts, laws, failed == nullptr ? Bucket::unknown : failed->bucket,
                      failed == nullptr ? label::Role::none : failed->role,
                      facts.moment.requested.value);
}

/// Applies laws to one allocation after the other.
class Changer {
public:
    Changer(const Facts& facts, const Laws& laws)
        : m_facts(facts)
        , m_laws(laws)
    {
        for (const auto& law : laws) {
            m_buckets |= law->buckets();
        }
    }

    void changeAllocations(ChangedRun& run)
    {
        if (m_buckets.any()) {
            changeEach(m_buckets, run);
        }
    }
    void changeKinds(ChangedRun& run, const SizeKinds& kinds, const BucketSet& each_alone)
    {
        run.each_alone = each_alone & m_buckets;
        if (run.each_alone.any()) {
            changeEach(run.each_alone, run);
        }
        run.delta_of_kind.assign(kinds.examples.size(), ChangedRun::kUnchanged);
        for (std::size_t k = 0; k < kinds.examples.size(); ++k) {
            const std::size_t bucket = label::indexOf(m_facts.bucket(kinds.examples[k]));
            if (m_buckets[bucket] && !run.each_alone[bucket]) {
                run.delta_of_kind[k] = change(kinds.examples[k], run);
            }
        }
    }

private:
    void changeEach(const BucketSet& buckets, ChangedRun& run)
    {
        const std::size_t count = m_facts.allocations().count();
        assignColumn(run.delta_of, count, ChangedRun::kUnchanged);
        for (std::size_t i = 0; i < count; ++i) {
            const AllocationId a(i);
            if (buckets[label::indexOf(m_facts.bucket(a))]) {
                run.delta_of[i] = change(a, run);
            }
        }
    }

    /// What the allocation has more while it lives: an index into the run's deltas.
    std::uint32_t change(AllocationId a, ChangedRun& run)
    {
        const Subject subject = subjectOf(m_facts, a);
        const Span recorded{subject.begin, subject.end,
                            Amount::exactly(static_cast<double>(subject.bytes))};
        m_spans.assign(1, recorded);
        for (const auto& law : m_laws) {
            if (law->buckets()[label::indexOf(subject.bucket)]) {
                law->apply(subject, m_spans);
            }
        }
        if (m_spans.size() == 1 && m_spans.front() == recorded) {
            return ChangedRun::kUnchanged;
        }
        run.is_changed = true;
        Totals delta = Totals{} - Totals::equal(subject.bytes);
        if (isWholeWithGaps(recorded)) {
            delta += totalsOf(m_spans.front().bytes);
            addGaps(subject.bucket, recorded, run);
        } else {
            for (const Span& span : m_spans) {
                addEdit(run, span.begin, span.end, totalsOf(span.bytes), subject.bucket);
            }
        }
        return delta == Totals{} ? ChangedRun::kUnchanged : indexOf(delta, run);
    }

    /// Whether what is left is the recorded stretch in one size, but for gaps.
    [[nodiscard]] bool isWholeWithGaps(const Span& recorded) const
    {
        for (std::size_t i = 0; i < m_spans.size(); ++i) {
            const bool follows = i == 0 ? m_spans[i].begin == recorded.begin
                                        : m_spans[i - 1].end <= m_spans[i].begin;
            if (!follows || m_spans[i].end > recorded.end
                || m_spans[i].bytes != m_spans.front().bytes) {
                return false;
            }
        }
        return !m_spans.empty();
    }

    /// The gaps of many allocations are the same: a block's between its forward and its backward.
    void addGaps(Bucket bucket, const Span& recorded, ChangedRun& run)
    {
        const Totals bytes = Totals{} - totalsOf(m_spans.front().bytes);
        for (std::size_t i = 0; i < m_spans.size(); ++i) {
            const StateId until = i + 1 < m_spans.size() ? m_spans[i + 1].begin : recorded.end;
            if (m_spans[i].end < until) {
                addEdit(run, m_spans[i].end, until, bytes, bucket);
            }
        }
    }

    static void addEdit(ChangedRun& run, StateId begin, StateId end, const Totals& bytes,
                        Bucket bucket)
    {
        const bool continues = !run.edits.empty() && run.edits.back().begin == begin
            && run.edits.back().end == end && run.edits.back().bucket == bucket;
        if (continues) {
            run.edits.back().bytes += bytes;
        } else {
            run.edits.push_back({begin, end, bytes, bucket == Bucket::optimizer_state, bucket});
        }
    }

    std::uint32_t indexOf(const Totals& delta, ChangedRun& run)
    {
        const auto next = static_cast<std::uint32_t>(run.deltas.size());
        const auto [known, is_new] = m_known.try_emplace(delta.mid, next);
        if (!is_new && run.deltas[known->second] == delta) {
            return known->second;
        }
        run.deltas.push_back(delta);
        return next;
    }

    const Facts& m_facts;
    const Laws& m_laws;
    BucketSet m_buckets; ///< Those that some law changes.
    std::vector<Span> m_spans;
    std::unordered_map<std::int64_t, std::uint32_t, KeyedNumberHash> m_known; ///< By estimate.
};

ChangedRun changedBy(const Facts& facts, const Laws& laws, const SizeKinds* kinds,
                     const BucketSet& each_alone)
{
    ChangedRun run;
    Changer changer(facts, laws);
    if (kinds == nullptr) {
        changer.changeAllocations(run);
    } else {
        changer.changeKinds(run, *kinds, each_alone);
    }
    for (const auto& law : laws) {
        for (const Span& span : law->additions()) {
            if (span.bytes != Amount{}) {
                run.edits.push_back(
                    {span.begin, span.end, totalsOf(span.bytes), false, span.bucket});
                run.is_changed = true;
            }
        }
        run.future_state = run.future_state.times(law->futureState());
        run.future_gradients = run.future_gradients.times(law->futureGradients());
        run.bounds_evaluation = run.bounds_evaluation || law->boundsEvaluation();
    }
    if (facts.isOom()) {
        run.failed = failedAfter(facts, laws);
        run.future_logits = factorOn(facts, laws, Bucket::activation, label::Role::logits);
        run.future_transients =
            factorOn(facts, laws, Bucket::temporary, label::Role::optimizer_transient);
    }
    return run;
}

} // namespace

ChangedRun applyLaws(const Facts& facts, const Laws& laws)
{
    return changedBy(facts, laws, nullptr, {});
}

ChangedRun applyLaws(const Facts& facts, const Laws& laws, const SizeKinds& kinds,
                     BucketSet each_alone)
{
    return changedBy(facts, laws, &kinds, each_alone);
}

} // namespace tidemark::diagnose
