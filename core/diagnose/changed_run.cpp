// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/changed_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

std::int64_t rounded(double bytes)
{
    return std::llround(std::max(bytes, 0.0));
}

std::int64_t at(const ChangedRun::Edit& edit, Bound bound)
{
    return bound == Bound::low ? edit.low : bound == Bound::mid ? edit.mid : edit.high;
}

ChangedRun::Edit editFor(const Span& span, bool is_state)
{
    const Amount& b = span.bytes;
    const double low = std::min({b.low, b.mid, b.high});
    const double high = std::max({b.low, b.mid, b.high});
    return {span.begin, span.end, rounded(low), rounded(b.mid), rounded(high), is_state};
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

Amount failedAfter(const Facts& facts, const Laws& laws)
{
    const label::FailedRequest* failed = facts.failed();
    return bytesAfter(facts, laws, failed == nullptr ? Bucket::unknown : failed->bucket,
                      failed == nullptr ? label::Role::none : failed->role,
                      facts.moment.requested.value);
}

/// Adds the live stretch [begin, end) to a difference array over states.
void addRange(std::vector<std::int64_t>& change, StateId begin, StateId end, std::int64_t bytes)
{
    const std::size_t states = change.size() - 1;
    if (begin.index() >= states || !(begin < end)) {
        return;
    }
    change[begin.index()] += bytes;
    change[std::min(end.index(), states)] -= bytes;
}

/// An allocation counts from its begin until the last step boundary that it outlasts.
void addSurvivor(const Facts& facts, std::vector<std::int64_t>& change, StateId begin, StateId end,
                 std::int64_t bytes)
{
    const auto outlasted = std::ranges::lower_bound(facts.boundaries, end);
    if (outlasted != facts.boundaries.begin()) {
        addRange(change, begin, *std::prev(outlasted), bytes);
    }
}

} // namespace

ChangedRun applyLaws(const Facts& facts, const Laws& laws)
{
    ChangedRun run;
    std::vector<Span> spans;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const Subject subject = subjectOf(facts, AllocationId(i));
        const Span recorded{subject.begin, subject.end,
                            Amount::exactly(static_cast<double>(subject.bytes))};
        spans.assign(1, recorded);
        for (const auto& law : laws) {
            law->apply(subject, spans);
        }
        if (spans.size() == 1 && spans.front() == recorded) {
            continue;
        }
        const bool is_state = subject.bucket == Bucket::optimizer_state;
        run.edits.push_back({recorded.begin, recorded.end, -subject.bytes, -subject.bytes,
                             -subject.bytes, is_state});
        for (const Span& span : spans) {
            run.edits.push_back(editFor(span, is_state));
        }
    }
    for (const auto& law : laws) {
        for (const Span& span : law->additions()) {
            run.edits.push_back(editFor(span, false));
        }
        run.future_state = run.future_state.times(law->futureState());
        run.future_gradients = run.future_gradients.times(law->futureGradients());
        run.bounds_evaluation = run.bounds_evaluation || law->boundsEvaluation();
    }
    if (facts.isOom()) {
        static constexpr std::int64_t kSample = 1LL << 30;
        run.failed = failedAfter(facts, laws);
        run.future_logits =
            bytesAfter(facts, laws, Bucket::activation, label::Role::logits, kSample)
                .times({1.0 / kSample, 1.0 / kSample, 1.0 / kSample});
    }
    return run;
}

std::vector<std::int64_t> activeAfter(const Facts& facts, const ChangedRun& run, Bound bound)
{
    const std::vector<std::int64_t>& before = facts.replay.active;
    std::vector<std::int64_t> change(before.size() + 1, 0);
    for (const ChangedRun::Edit& edit : run.edits) {
        addRange(change, edit.begin, edit.end, at(edit, bound));
    }
    std::partial_sum(change.begin(), change.end(), change.begin());
    change.pop_back();
    for (std::size_t s = 0; s < change.size(); ++s) {
        change[s] += before[s];
    }
    return change;
}

std::vector<std::int64_t> survivorsBefore(const Facts& facts)
{
    if (facts.boundaries.size() < 2) {
        return {};
    }
    std::vector<std::int64_t> change(facts.replay.stateCount() + 1, 0);
    const replay::Allocations& all = facts.allocations();
    for (std::size_t i = 0; i < all.count(); ++i) {
        addSurvivor(facts, change, all.begin[i], all.end[i], all.requested[i].value);
    }
    std::partial_sum(change.begin(), change.end(), change.begin());
    change.pop_back();
    return change;
}

std::vector<std::int64_t> survivorsAfter(const Facts& facts, const ChangedRun& run, Bound bound,
                                         const std::vector<std::int64_t>& before)
{
    if (before.empty()) {
        return {};
    }
    std::vector<std::int64_t> change(before.size() + 1, 0);
    for (const ChangedRun::Edit& edit : run.edits) {
        addSurvivor(facts, change, edit.begin, edit.end, at(edit, bound));
    }
    std::partial_sum(change.begin(), change.end(), change.begin());
    change.pop_back();
    for (std::size_t s = 0; s < change.size(); ++s) {
        change[s] += before[s];
    }
    return change;
}

std::int64_t optimizerStateAfter(const Facts& facts, const ChangedRun& run, Bound bound,
                                 StateId state)
{
    std::int64_t sum = facts.curves.at(state)[label::indexOf(Bucket::optimizer_state)];
    for (const ChangedRun::Edit& edit : run.edits) {
        if (edit.is_state && edit.begin <= state && state < edit.end) {
            sum += at(edit, bound);
        }
    }
    return sum;
}

} // namespace tidemark::diagnose
