// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/changed_run.h"

#include "core/base/column.h"

#include <algorithm>
#include <cmath>

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
        if (m_buckets.none()) {
            return;
        }
        const std::size_t count = m_facts.allocations().count();
        assignColumn(run.delta_of, count, ChangedRun::kUnchanged);
        for (std::size_t i = 0; i < count; ++i) {
            const AllocationId a(i);
            if (m_buckets[label::indexOf(m_facts.bucket(a))]) {
                change(a, run);
            }
        }
    }

private:
    void change(AllocationId a, ChangedRun& run)
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
            return;
        }
        run.is_changed = true;
        Totals delta = Totals{} - Totals::equal(subject.bytes);
        for (const Span& span : m_spans) {
            const Totals bytes = totalsOf(span.bytes);
            if (span.begin == recorded.begin && span.end == recorded.end) {
                delta += bytes;
            } else {
                run.edits.push_back({span.begin, span.end, bytes,
                                     subject.bucket == Bucket::optimizer_state, subject.bucket});
            }
        }
        if (delta != Totals{}) {
            run.delta_of[a.index()] = static_cast<std::uint32_t>(run.deltas.size());
            run.deltas.push_back(delta);
        }
    }

    const Facts& m_facts;
    const Laws& m_laws;
    BucketSet m_buckets; ///< Those that some law changes.
    std::vector<Span> m_spans;
};

} // namespace

ChangedRun applyLaws(const Facts& facts, const Laws& laws)
{
    ChangedRun run;
    Changer(facts, laws).changeAllocations(run);
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

} // namespace tidemark::diagnose
