// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/corrections/allocation_index.h"

#include "core/label/stacks/stack_text.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tidemark::label {
namespace {

/// Those whose value is `wanted`, of a list that is sorted by it. Not `equal_range` of ranges,
/// whose result clang 14 cannot make with this library.
template <class Value, class Get>
std::span<const AllocationId> equalTo(const std::vector<AllocationId>& sorted, Value wanted,
                                      Get valueOf)
{
    const auto first = std::ranges::lower_bound(sorted, wanted, {}, valueOf);
    const auto last = std::ranges::upper_bound(first, sorted.end(), wanted, {}, valueOf);
    return {first, last};
}

} // namespace

StacksByName::StacksByName(const trace::Snapshot& snapshot)
{
    const StackPool& pool = snapshot.stacks;
    std::vector<bool> is_noise(pool.frameCount());
    for (std::size_t f = 0; f < is_noise.size(); ++f) {
        is_noise[f] = frameOrigin(snapshot, FrameId(f)) == FrameOrigin::noise;
    }
    for (std::size_t s = 0; s < pool.stackCount(); ++s) {
        const std::span<const FrameId> frames = pool.frames(StackId(s));
        if (frames.empty()) {
            continue;
        }
        const auto telling =
            std::ranges::find_if(frames, [&](FrameId f) { return !is_noise[f.index()]; });
        const FrameId first = telling == frames.end() ? frames.front() : *telling;
        m_stacks[snapshot.text(pool.frame(first).name)].push_back(StackId(s));
    }
}

std::span<const StackId> StacksByName::of(std::string_view name) const
{
    const auto known = m_stacks.find(name);
    return known == m_stacks.end() ? std::span<const StackId>() : known->second;
}

AllocationIndex::AllocationIndex(const replay::Allocations& allocations)
    : m_allocations(allocations)
{
    Ids all;
    all.reserve(allocations.count());
    for (std::size_t i = 0; i < allocations.count(); ++i) {
        all.push_back(AllocationId(i));
    }
    const auto sorted = [&all](const auto& column) {
        Ids ids = all;
        std::ranges::stable_sort(ids, {}, [&](AllocationId a) { return column[a.index()]; });
        return ids;
    };
    m_by_address = sorted(allocations.address);
    m_by_size = sorted(allocations.requested);
    m_by_stack = sorted(allocations.stack);
    for (const AllocationId a : m_by_stack) {
        const StackId stack = allocations.stack[a.index()];
        if (!stack.isNone() && (m_stacks.empty() || m_stacks.back() != stack)) {
            m_stacks.push_back(stack);
        }
    }
}

std::span<const AllocationId> AllocationIndex::ofAddress(Address address) const
{
    return equalTo(m_by_address, address,
                   [&](AllocationId a) { return m_allocations.address[a.index()]; });
}

std::span<const AllocationId> AllocationIndex::ofSizes(const CorrectionMatch& match) const
{
    const auto sizeOf = [&](AllocationId a) { return m_allocations.requested[a.index()]; };
    const Bytes least = match.bytes.value_or(
        match.min_bytes.value_or(Bytes{std::numeric_limits<std::int64_t>::min()}));
    const Bytes most = match.bytes.value_or(
        match.max_bytes.value_or(Bytes{std::numeric_limits<std::int64_t>::max()}));
    const auto first = std::ranges::lower_bound(m_by_size, least, {}, sizeOf);
    const auto last = std::ranges::upper_bound(first, m_by_size.end(), most, {}, sizeOf);
    return {first, last};
}

std::span<const AllocationId> AllocationIndex::ofStack(StackId stack) const
{
    return equalTo(m_by_stack, stack,
                   [&](AllocationId a) { return m_allocations.stack[a.index()]; });
}

std::vector<AllocationId> AllocationIndex::candidates(const CorrectionMatch& match,
                                                      const StacksByName& names,
                                                      StackMatcher& matcher) const
{
    std::span<const AllocationId> fewest =
        match.address ? ofAddress(*match.address) : std::span<const AllocationId>(m_by_size);
    if (const auto of_sizes = ofSizes(match); of_sizes.size() < fewest.size()) {
        fewest = of_sizes;
    }
    const bool asks_stack = !match.stack.empty() || !match.function.empty() || !match.file.empty();
    const std::span<const StackId> stacks =
        match.stack.empty() ? std::span<const StackId>(m_stacks) : names.of(matcher.innermost());
    if (!asks_stack || fewest.size() <= stacks.size()) {
        return {fewest.begin(), fewest.end()};
    }
    Ids found;
    for (const StackId stack : stacks) {
        const std::span<const AllocationId> of_stack = ofStack(stack);
        if (!of_stack.empty() && matcher.matches(stack)) {
            found.insert(found.end(), of_stack.begin(), of_stack.end());
        }
    }
    return found;
}

} // namespace tidemark::label
