// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/run_changer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using LawList = std::span<const Law* const>;

/// Checkpointing and offloading split lifetimes, so they must see them as recorded.
int orderOf(ChangeKind kind)
{
    switch (kind) {
    case ChangeKind::checkpointing:
        return 0;
    case ChangeKind::offload:
    case ChangeKind::set_to_none:
    case ChangeKind::eval_accumulation:
        return 1;
    default:
        return 2;
    }
}

/// Rounded to whole bytes, at least 0, in order.
Amount wholeBytes(const Amount& bytes)
{
    const auto rounded = [](double b) { return std::round(std::max(b, 0.0)); };
    return {rounded(std::min({bytes.low, bytes.mid, bytes.high})), rounded(bytes.mid),
            rounded(std::max({bytes.low, bytes.mid, bytes.high}))};
}

/// What all laws make of a size.
Amount after(LawList laws, const Subject& subject, Amount bytes)
{
    for (const Law* const law : laws) {
        bytes = bytes.times(law->factor(subject));
    }
    return bytes;
}

/// Bytes of something that the recorded run never got, after the change.
Amount bytesAfter(const Facts& facts, LawList laws, Bucket bucket, label::Role role,
                  std::int64_t bytes)
{
    const StateId state = facts.moment.state;
    const StackId stack = facts.failedStack();
    const Subject subject{AllocationId::none(),
                          bucket,
                          role,
                          facts.phaseAtMoment(),
                          passAt(facts.passes, state),
                          bytes,
                          state,
                          StateId{state.value + 1},
                          stack,
                          InputUse::other,
                          fp32SiteOf(facts, stack, role)};
    return after(laws, withShares(facts, subject), exactly(bytes));
}

/// What becomes of something large that the recorded run never got.
Amount factorOn(const Facts& facts, LawList laws, Bucket bucket, label::Role role)
{
    static constexpr std::int64_t kSample = 1LL << 30;
    return bytesAfter(facts, laws, bucket, role, kSample)
        .times({1.0 / kSample, 1.0 / kSample, 1.0 / kSample});
}

Amount failedAfter(const Facts& facts, LawList laws)
{
    const label::FailedRequest* failed = facts.failed;
    return bytesAfter(facts, laws, failed == nullptr ? Bucket::unknown : failed->bucket,
                      failed == nullptr ? label::Role::none : failed->role,
                      facts.moment.requested.value);
}

Amount afterLaws(const Span& added, LawList laws)
{
    const Subject subject{AllocationId::none(), added.bucket, added.role,
                          label::Phase::other,  -1,           std::llround(added.bytes.high),
                          added.begin,          added.end,    StackId::none()};
    return wholeBytes(after(laws, subject, added.bytes));
}

} // namespace

const SizeKinds& RunChanger::kinds()
{
    if (!m_kinds) {
        m_kinds = sizeKinds(m_facts);
    }
    return *m_kinds;
}

const RunChanger::Made& RunChanger::made(const Change& change, int gpus, bool to_sixteen_bits)
{
    const auto [known, is_new] = m_laws.try_emplace({changeText(change), gpus, to_sixteen_bits});
    Made& entry = known->second;
    if (is_new) {
        entry.law = lawFor(m_facts, change, gpus, to_sixteen_bits);
    }
    if (is_new && entry.law != nullptr) {
        Additions additions;
        for (Span& span : entry.law->additions()) {
            if (span.bytes != Amount{}) {
                span.bytes = wholeBytes(span.bytes);
                additions.push_back(span);
            }
        }
        if (!additions.empty()) {
            entry.additions = std::make_shared<const Additions>(std::move(additions));
        }
    }
    return entry;
}

void RunChanger::addLaws(std::span<const Change> changes, int gpus, ChangedRun& run)
{
    std::vector<Change> ordered(changes.begin(), changes.end());
    std::ranges::stable_sort(ordered, {}, [](const Change& c) { return orderOf(c.kind); });
    for (const Change& change : ordered) {
        gpus = change.kind == ChangeKind::gpus ? change.count() : gpus;
    }
    const bool to_sixteen_bits = std::ranges::any_of(
        ordered, [](const Change& c) { return c.kind == ChangeKind::precision; });
    std::vector<const Made*> adding;
    for (const Change& change : ordered) {
        const Made& entry = made(change, gpus, to_sixteen_bits);
        if (entry.law != nullptr) {
            run.laws.push_back(entry.law.get());
        }
        if (entry.additions != nullptr) {
            adding.push_back(&entry);
        }
    }
    for (const Made* const entry : adding) {
        run.additions.push_back(underOthers(*entry, run.laws));
    }
}

/// What the other laws make of activations and gradients that one law adds.
std::shared_ptr<const Additions> RunChanger::underOthers(const Made& adding, LawList laws)
{
    static constexpr BucketSet kFollowing = bucketSet({Bucket::activation, Bucket::gradient});
    std::vector<const Law*> key{adding.law.get()};
    for (const Law* const law : laws) {
        if (law != adding.law.get() && (law->buckets() & kFollowing).any()) {
            key.push_back(law);
        }
    }
    if (key.size() < 2) {
        return adding.additions;
    }
    const auto [known, is_new] = m_additions.try_emplace(key, adding.additions);
    if (is_new) {
        Additions changed = *adding.additions;
        bool any = false;
        for (Span& addition : changed) {
            if (kFollowing[label::indexOf(addition.bucket)]) {
                const Amount recorded = addition.bytes;
                addition.bytes = afterLaws(addition, std::span(key).subspan(1));
                any = any || addition.bytes != recorded;
            }
        }
        if (any) {
            known->second = std::make_shared<const Additions>(std::move(changed));
        }
    }
    return known->second;
}

ChangedRun RunChanger::changed(std::span<const Change> changes, int gpus)
{
    ChangedRun run = unchangedRun(m_facts);
    addLaws(changes, gpus, run);
    changeSizes(run);
    changeLifetimes(run);
    run.walked = m_fitted.peakAfter(changes);
    run.is_changed = !run.sizes.empty() || run.lifetimes != nullptr || !run.additions.empty()
        || (run.walked && run.walked->peak != m_facts.replay.activeAt(m_facts.replay.peak));
    for (const Law* const law : run.laws) {
        run.future_state = run.future_state.times(law->futureState());
        run.future_gradients = run.future_gradients.times(law->futureGradients());
        run.bounds_evaluation = run.bounds_evaluation || law->boundsEvaluation();
        run.later_evaluation = std::max(run.later_evaluation, law->laterEvaluation());
        run.keeps_gradients = run.keeps_gradients || law->keepsGradients();
    }
    if (m_facts.isOom()) {
        run.failed = failedAfter(m_facts, run.laws);
        run.future_logits = factorOn(m_facts, run.laws, Bucket::activation, label::Role::logits);
        run.future_matrices =
            factorOn(m_facts, run.laws, Bucket::activation, label::Role::attention_matrix);
        run.future_transients =
            factorOn(m_facts, run.laws, Bucket::temporary, label::Role::optimizer_transient);
    }
    return run;
}

void RunChanger::changeSizes(ChangedRun& run)
{
    BucketSet buckets;
    for (const Law* const law : run.laws) {
        buckets |= law->buckets();
    }
    if (buckets.none()) {
        return;
    }
    bool any = false;
    run.sizes.reserve(kinds().count());
    for (const Subject& s : kinds().examples) {
        const Amount recorded = exactly(s.bytes);
        run.sizes.push_back(buckets[label::indexOf(s.bucket)]
                                ? wholeBytes(after(run.laws, s, recorded))
                                : recorded);
        any = any || run.sizes.back() != recorded;
    }
    if (!any) {
        run.sizes.clear();
    }
}

void RunChanger::changeLifetimes(ChangedRun& run)
{
    std::string words;
    std::vector<const Law*> cutting;
    for (const Law* const law : run.laws) {
        if (!law->cutting().empty()) {
            words += std::string(law->cutting()) + ",";
            cutting.push_back(law);
        }
    }
    if (cutting.empty()) {
        return;
    }
    const auto [known, is_new] = m_lifetimes.try_emplace(words);
    if (is_new) {
        Lifetimes lifetimes = changedLifetimes(m_facts, kinds(), cutting);
        if (!lifetimes.empty()) {
            known->second = std::make_shared<const Lifetimes>(std::move(lifetimes));
        }
    }
    run.lifetimes = known->second;
}

} // namespace tidemark::diagnose
