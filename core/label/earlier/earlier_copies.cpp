// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/earlier/earlier_copies.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

namespace tidemark::label {

EarlierCopies::EarlierCopies(const RuleInputs& evidence, const SizeCounts& gradients)
    : m_e(evidence)
    , m_a(evidence.replay.allocations)
    , m_gradients(gradients)
{
    find();
}

/// Whether the gradients that the trace leaves are those of what was there before it: a backward
/// that adds to older ones leaves only oddities. For each there may be a weight, its gradient and
/// some state.
bool EarlierCopies::gradientsTell() const
{
    constexpr std::int64_t kMostCopies = 5;
    std::int64_t all = 0;
    std::int64_t known = 0;
    SizeCounts met;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        if (m_a.alloc_event[i].isNone() && m_e.livesToTheEnd(AllocationId(i))) {
            const std::int64_t size = m_a.requested[i].value;
            all += size;
            known += met[size]++ < kMostCopies * gradientsOf(size) ? size : 0;
        }
    }
    return !m_gradients.empty() && known * 10 >= all * 3;
}

/// A model in training is there in copies: weights, (gradients,) one to three states. Sizes that
/// occur once in a model then occur as often, so the greatest common divisor of all counts is the
/// number of copies. Three or four are taken for weights, two moments and perhaps gradients where
/// no whole backward tells.
void EarlierCopies::find()
{
    const auto has = [&](Phase phase) {
        return std::ranges::any_of(m_e.runs.runs, [&](const Run& r) { return r.phase == phase; });
    };
    const bool has_optimizer = has(Phase::optimizer);
    const bool has_backward = has(Phase::backward);
    const bool trains = has_optimizer || has_backward || has(Phase::forward);
    if (gradientsTell() || (!trains && m_e.device.events.count() > 0)) {
        return;
    }
    SizeCounts counts;
    std::map<std::int64_t, std::vector<AllocationId>> of_size;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < m_a.count(); ++i) {
        const AllocationId a(i);
        const StackKind kind = m_e.kinds.kind(m_a.stack[i]);
        if (m_a.alloc_event[i].isNone() && (kind == StackKind::none || kind == StackKind::empty)
            && m_e.livesToTheEnd(a) && !BlasWorkspaces::isUnmistakable(m_a.requested[i])) {
            ++counts[m_a.requested[i].value];
            of_size[m_a.requested[i].value].push_back(a);
            total += m_a.requested[i].value;
        }
    }
    if (!has_optimizer && has_backward) {
        findKeptGradients(counts, total);
        return;
    }
    std::int64_t copies = 0;
    for (const auto& [size, count] : counts) {
        if (size * count * 500
            >= total) { // At least 0.2 % of the bytes: counters and norms do not count.
            copies = std::gcd(copies, count);
        }
    }
    const bool keeps = areGradientsKept(counts, copies, total);
    if (counts.size() < 3 || copies < 2 || copies > 5 || (!keeps && copies != 3 && copies != 4)) {
        return;
    }
    m_count = copies;
    m_have_gradients = keeps || copies == 4;
    m_freed_first.resize(m_a.count());
    for (const auto& [size, count] : counts) {
        m_per_copy[size] = count / copies;
        std::vector<AllocationId>& by_end = of_size[size];
        std::ranges::stable_sort(by_end, {}, [&](AllocationId a) { return m_a.end[a.index()]; });
        for (const AllocationId a :
             std::span(by_end).first(static_cast<std::size_t>(count / copies))) {
            m_freed_first[a.index()] = true;
        }
    }
}

/// Whether whole backwards make as many of each size as a copy has, though they leave none of them:
/// what they make is added to gradients of before.
bool EarlierCopies::areGradientsKept(const SizeCounts& counts, std::int64_t copies,
                                     std::int64_t total) const
{
    const SizeCounts made = madeInOneBackward(true);
    std::int64_t added = 0;
    for (const auto& [size, count] : counts) {
        const auto it = made.find(size);
        added += it != made.end() && it->second * copies >= count ? size * count : 0;
    }
    return added > 0 && added * 10 >= total * 9;
}

/// How many allocations of each size a backward makes: the most that one of them made.
SizeCounts EarlierCopies::madeInOneBackward(bool only_whole) const
{
    SizeCounts most;
    for (const Run& run : m_e.runs.runs) {
        SizeCounts made;
        const bool counts = run.phase == Phase::backward && !(only_whole && run.is_last);
        for (std::size_t i = run.first.index(); counts && i < run.end.index(); ++i) {
            const AllocationId a = m_e.replay.event_allocation[i];
            if (m_e.device.events.action[i] == trace::Action::alloc && !a.isNone()) {
                ++made[m_a.requested[a.index()].value];
            }
        }
        for (const auto& [size, count] : made) {
            most[size] = std::max(most[size], count);
        }
    }
    return most;
}

/// A program that never clears its gradients adds to those that are there: a backward then makes
/// one short-lived tensor of each parameter's size, and what was there before comes in pairs.
void EarlierCopies::findKeptGradients(const SizeCounts& counts, std::int64_t total)
{
    const SizeCounts made = madeInOneBackward(false);
    SizeCounts per_copy;
    std::int64_t paired = 0;
    for (const auto& [size, count] : counts) {
        const auto it = made.find(size);
        if (count % 2 == 0 && it != made.end() && it->second * 2 >= count) {
            per_copy[size] = count / 2;
            paired += size * count;
        }
    }
    if (per_copy.size() >= 3 && paired * 10 >= total * 9) {
        m_count = 2;
        m_have_gradients = true;
        m_per_copy = std::move(per_copy);
    }
}

} // namespace tidemark::label
