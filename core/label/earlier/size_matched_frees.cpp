// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/earlier/size_matched_frees.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace tidemark::label {
namespace {

constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kEnough = 64; // Twins of one place.

/// The bucket of at least four in five.
std::optional<Bucket> nearlyAll(const std::array<std::size_t, kBucketCount>& counts)
{
    const auto most = std::ranges::max_element(counts);
    const auto bucket = static_cast<Bucket>(most - counts.begin());
    const std::size_t all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    const bool agree = *most > 0 && *most * 5 >= all * 4;
    return agree && bucket != Bucket::unknown ? std::optional(bucket) : std::nullopt;
}

} // namespace

SizeMatchedFrees::SizeMatchedFrees(const RuleInputs& evidence, const Assigner& labels)
    : m_e(evidence)
    , m_labels(labels)
{
    const replay::Allocations& all = m_e.replay.allocations;
    const trace::Events& events = m_e.device.events;
    countKept();
    if (m_e.runs.runs.empty()) {
        return;
    }
    m_last_made.reserve(events.count());
    for (std::size_t i = 0; i < events.count(); ++i) {
        const bool is_made = events.action[i] == trace::Action::alloc;
        m_last_made.push_back(is_made     ? static_cast<std::uint32_t>(i)
                                  : i > 0 ? m_last_made.back()
                                          : kNothing);
    }
    for (std::size_t i = 0; i < all.count(); ++i) {
        const auto place = all.alloc_event[i].isNone() ? placeOf(AllocationId(i)) : std::nullopt;
        if (place) {
            m_twins.try_emplace(*place);
        }
    }
    for (std::size_t i = 0; i < all.count() && !m_twins.empty(); ++i) {
        const AllocationId a(i);
        const auto place = all.alloc_event[i].isNone() ? std::nullopt : placeOf(a);
        const auto twins = place ? m_twins.find(*place) : m_twins.end();
        if (twins == m_twins.end() || twins->second.size() >= kEnough || !mayBeTwin(a)) {
            continue;
        }
        const std::size_t freed = all.end[i].index() - 1;
        twins->second.push_back(
            {static_cast<std::uint32_t>(freed - all.alloc_event[i].index()), m_labels.bucketOf(a)});
    }
}

/// Of what passes frees, few are in flight at any moment; nearly all was made before the pass.
bool SizeMatchedFrees::mayBeTwin(AllocationId a) const
{
    const replay::Allocations& all = m_e.replay.allocations;
    const Run& run = m_e.runs.runs[m_e.runs.indexAt(EventId(all.end[a.index()].index() - 1))];
    const bool is_pass = run.phase == Phase::forward || run.phase == Phase::backward;
    return !is_pass || all.alloc_event[a.index()] < run.first;
}

std::optional<SizeMatchedFrees::Place> SizeMatchedFrees::placeOf(AllocationId a) const
{
    const replay::Allocations& all = m_e.replay.allocations;
    if (m_last_made.empty() || m_e.livesToTheEnd(a)) {
        return std::nullopt;
    }
    const std::size_t freed = all.end[a.index()].index() - 1;
    const std::uint32_t last = m_last_made[freed];
    if (last == kNothing) {
        return std::nullopt;
    }
    const AllocationId before = m_e.replay.event_allocation[last];
    const StackId stack = m_e.device.events.stack[last];
    return Place{all.requested[a.index()].value,
                 m_e.runs.runs[m_e.runs.indexAt(EventId(freed))].phase,
                 stack.isNone() ? kNothing : stack.value,
                 before.isNone() ? 0 : all.requested[before.index()].value};
}

std::optional<Bucket> SizeMatchedFrees::bucketOf(AllocationId a) const
{
    const auto place = placeOf(a);
    const auto twins = place ? m_twins.find(*place) : m_twins.end();
    if (twins == m_twins.end()) {
        return std::nullopt;
    }
    // It lived since before the first event; steps differ a little in length.
    const std::size_t lived = m_e.replay.allocations.end[a.index()].index() - 1;
    Counts counts{};
    for (const Twin& twin : twins->second) {
        counts[static_cast<std::size_t>(twin.bucket)] +=
            std::size_t{twin.life} * 10 >= lived * 9 ? 1U : 0U;
    }
    return nearlyAll(counts);
}

/// By stack; without one, by size.
SizeMatchedFrees::Maker SizeMatchedFrees::makerOf(AllocationId a) const
{
    const replay::Allocations& all = m_e.replay.allocations;
    const StackId stack = all.stack[a.index()];
    const StackKind kind = m_e.kinds.kind(stack);
    return kind == StackKind::none || kind == StackKind::empty
        ? Maker{kNothing, all.requested[a.index()].value}
        : Maker{stack.value, 0};
}

void SizeMatchedFrees::countKept()
{
    const replay::Allocations& all = m_e.replay.allocations;
    for (std::size_t i = 0; i < all.count(); ++i) {
        if (all.alloc_event[i].isNone() && m_e.livesToTheEnd(AllocationId(i))) {
            m_kept.try_emplace(makerOf(AllocationId(i)));
        }
    }
    for (std::size_t i = 0; i < all.count() && !m_kept.empty(); ++i) {
        const AllocationId a(i);
        if (all.alloc_event[i].isNone() || !m_e.livesToTheEnd(a)) {
            continue;
        }
        const auto kept = m_kept.find(makerOf(a));
        if (kept != m_kept.end()) {
            ++kept->second[static_cast<std::size_t>(m_labels.bucketOf(a))];
        }
    }
}

std::optional<Bucket> SizeMatchedFrees::keptLike(AllocationId a) const
{
    const Maker maker = makerOf(a);
    const auto kept = m_kept.find(maker);
    const auto bucket = kept == m_kept.end() ? std::nullopt : nearlyAll(kept->second);
    // Weights and states have equal sizes; results have sizes of their own, and more than one.
    constexpr std::size_t kSeveral = 3;
    const bool tells = maker.first != kNothing
        || (bucket == Bucket::output && !m_e.runs.has_training
            && kept->second[static_cast<std::size_t>(Bucket::output)] >= kSeveral);
    return tells ? bucket : std::nullopt;
}

std::optional<Bucket> SizeMatchedFrees::successorOf(AllocationId a) const
{
    constexpr std::size_t kSoon = 6; // Events.
    const replay::Allocations& all = m_e.replay.allocations;
    if (m_last_made.empty() || m_e.livesToTheEnd(a)) {
        return std::nullopt;
    }
    const std::size_t freed = all.end[a.index()].index() - 1;
    for (std::size_t i = freed; i-- > 0 && freed - i <= kSoon;) {
        const AllocationId made = m_e.replay.event_allocation[i];
        if (m_e.device.events.action[i] != trace::Action::alloc || made.isNone()
            || all.requested[made.index()] != all.requested[a.index()]) {
            continue;
        }
        const Bucket bucket = m_labels.bucketOf(made);
        if (bucket == Bucket::input || bucket == Bucket::activation || bucket == Bucket::output) {
            return bucket;
        }
    }
    return std::nullopt;
}

} // namespace tidemark::label
