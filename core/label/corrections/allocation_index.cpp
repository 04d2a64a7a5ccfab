// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/corrections/allocation_index.h"

#include <algorithm>
#include <limits>

namespace tidemark::label {
namespace {

constexpr std::ptrdiff_t kFew = 16; ///< Rules that go through everything sooner than it is sorted.

/// Those whose value is in [least, most], of a list that is sorted by it. Not `equal_range` of
/// ranges, whose result clang 14 cannot make with this library.
template <class Value, class Get>
std::span<const Candidate> between(std::span<const Candidate> sorted, Value least, Value most,
                                   Get valueOf)
{
    const auto first = std::ranges::lower_bound(sorted, least, {}, valueOf);
    const auto last = std::ranges::upper_bound(first, sorted.end(), most, {}, valueOf);
    return {first, last};
}

bool asksSize(const CorrectionMatch& match)
{
    return match.bytes || match.min_bytes || match.max_bytes;
}

bool asksStack(const CorrectionMatch& match)
{
    return !match.stack.empty() || !match.function.empty() || !match.file.empty();
}

} // namespace

AllocationIndex::AllocationIndex(const trace::Snapshot& snapshot, const replay::Replay& replay,
                                 const Labels& labels, std::span<const Correction> rules)
    : m_snapshot(snapshot)
    , m_replay(replay)
    , m_labels(labels)
{
    for (std::uint32_t d = 0; d < replay.devices.size(); ++d) {
        m_devices.try_emplace(snapshot.devices[d].index, d);
        m_first_of_device.push_back(m_all.size());
        const std::size_t count = replay.devices[d].allocations.count();
        for (std::uint32_t i = 0; i < count + labels.devices[d].failed.size(); ++i) {
            m_all.push_back({d, i});
        }
    }
    m_first_of_device.push_back(m_all.size());
    const auto pays = [rules](const auto& asks) {
        return std::ranges::count_if(rules,
                                     [&asks](const Correction& rule) { return asks(rule.match); })
            > kFew;
    };
    const auto sorted = [this](bool with_requests, const auto& valueOf) {
        std::vector<Candidate> list;
        std::ranges::copy_if(m_all, std::back_inserter(list),
                             [&](Candidate c) { return with_requests || !isRequest(c); });
        std::ranges::stable_sort(list, {}, valueOf);
        return list;
    };
    if (pays([](const CorrectionMatch& match) { return match.alloc_event.has_value(); })) {
        m_by_event = sorted(false, [this](Candidate c) { return eventOf(c); });
    }
    if (pays([](const CorrectionMatch& match) { return match.address.has_value(); })) {
        m_by_address = sorted(false, [this](Candidate c) { return addressOf(c); });
    }
    if (pays(asksSize)) {
        m_by_size = sorted(true, [this](Candidate c) { return bytesOf(c); });
    }
    if (std::ranges::any_of(rules, asksStack, &Correction::match)) {
        indexStacks();
    }
}

void AllocationIndex::indexStacks()
{
    m_first_of_stack.assign(m_snapshot.stacks.stackCount() + 1, 0);
    for (const Candidate c : m_all) {
        if (!stackOf(c).isNone()) {
            ++m_first_of_stack[stackOf(c).index() + 1];
        }
    }
    for (std::size_t s = 1; s < m_first_of_stack.size(); ++s) {
        m_first_of_stack[s] += m_first_of_stack[s - 1];
    }
    m_by_stack.resize(m_first_of_stack.back());
    std::vector<std::size_t> next(m_first_of_stack.begin(), m_first_of_stack.end() - 1);
    for (const Candidate c : m_all) {
        if (!stackOf(c).isNone()) {
            m_by_stack[next[stackOf(c).index()]++] = c;
        }
    }
}

StackId AllocationIndex::stackOf(Candidate c) const
{
    if (!isRequest(c)) {
        return allocationsOf(c).stack[c.index];
    }
    const EventId event = m_labels.devices[c.device].failed[requestOf(c)].event;
    return m_snapshot.devices[c.device].events.stack[event.index()];
}

Bytes AllocationIndex::bytesOf(Candidate c) const
{
    if (!isRequest(c)) {
        return allocationsOf(c).requested[c.index];
    }
    const EventId event = m_labels.devices[c.device].failed[requestOf(c)].event;
    return m_snapshot.devices[c.device].events.size[event.index()];
}

std::span<const Candidate> AllocationIndex::ofDevice(const CorrectionMatch& match) const
{
    if (!match.device) {
        return m_all;
    }
    const auto it = m_devices.find(*match.device);
    if (it == m_devices.end()) {
        return {};
    }
    const std::size_t first = m_first_of_device[it->second];
    return Span(m_all).subspan(first, m_first_of_device[it->second + 1] - first);
}

std::span<const Candidate> AllocationIndex::candidates(const CorrectionMatch& match) const
{
    Span fewest = ofDevice(match);
    if (match.device && match.alloc_event && *match.alloc_event >= 0 && !fewest.empty()) {
        const auto& made = m_replay.devices[fewest.front().device].event_allocation;
        const auto event = static_cast<std::uint64_t>(*match.alloc_event);
        const AllocationId only = event < made.size() ? made[event] : AllocationId::none();
        return only.isNone() ? Span() : fewest.subspan(only.index(), 1);
    }
    const auto take = [&fewest](Span other) {
        if (other.size() < fewest.size()) {
            fewest = other;
        }
    };
    if (match.alloc_event && !m_by_event.empty()) {
        take(between(m_by_event, *match.alloc_event, *match.alloc_event,
                     [this](Candidate c) { return eventOf(c); }));
    }
    if (match.address && !m_by_address.empty()) {
        take(between(m_by_address, *match.address, *match.address,
                     [this](Candidate c) { return addressOf(c); }));
    }
    if (asksSize(match) && !m_by_size.empty()) {
        using Limits = std::numeric_limits<std::int64_t>;
        const Bytes least = match.bytes.value_or(match.min_bytes.value_or(Bytes{Limits::min()}));
        const Bytes most = match.bytes.value_or(match.max_bytes.value_or(Bytes{Limits::max()}));
        take(between(m_by_size, least, most, [this](Candidate c) { return bytesOf(c); }));
    }
    return fewest;
}

std::span<const Candidate> AllocationIndex::ofStack(StackId stack,
                                                    const CorrectionMatch& match) const
{
    const std::size_t first = m_first_of_stack[stack.index()];
    const Span of_stack =
        Span(m_by_stack).subspan(first, m_first_of_stack[stack.index() + 1] - first);
    if (!match.device) {
        return of_stack;
    }
    const auto it = m_devices.find(*match.device);
    return it == m_devices.end() ? Span()
                                 : between(of_stack, it->second, it->second, &Candidate::device);
}

} // namespace tidemark::label
