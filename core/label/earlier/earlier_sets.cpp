// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/earlier/earlier_sets.h"

#include <algorithm>
#include <functional>

namespace tidemark::label {
EarlierSets::EarlierSets(const RuleInputs& evidence, const SizeCounts& gradients)
{
    const replay::Allocations& all = evidence.replay.allocations;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const StackKind kind = evidence.kinds.kind(all.stack[i]);
        if (!all.alloc_event[i].isNone() || !evidence.livesToTheEnd(AllocationId(i))) {
            continue;
        }
        m_kept_sizes.insert(all.requested[i].value);
        if (kind == StackKind::none || kind == StackKind::empty || kind == StackKind::other) {
            m_kept.emplace_back(i);
        }
    }
    std::ranges::sort(m_kept, {}, [&](AllocationId a) { return all.address[a.index()]; });
    if (evidence.runs.has_training) {
        findDataSet(evidence, gradients);
    } else if (!evidence.runs.runs.empty()) {
        findCache(evidence);
        findVolumes(evidence);
    }
}

void EarlierSets::findDataSet(const RuleInputs& e, const SizeCounts& gradients)
{
    constexpr std::size_t kMost = 3;
    std::int64_t trained = 0;
    for (const auto& [size, count] : gradients) {
        trained += size * count;
    }
    std::vector<AllocationId> untrained;
    std::int64_t bytes = 0;
    for (const AllocationId a : m_kept) {
        const std::int64_t size = e.replay.allocations.requested[a.index()].value;
        const bool is_half = size % 2 == 0 && gradients.contains(size / 2); // Full precision.
        if (!gradients.contains(size) && !is_half) {
            untrained.push_back(a);
            bytes += size;
        }
    }
    if (trained == 0 || untrained.size() > kMost || bytes <= trained) {
        return;
    }
    for (const AllocationId a : untrained) {
        m_data_set.insert(a.value);
    }
}

void EarlierSets::findCache(const RuleInputs& e)
{
    constexpr std::size_t kFewest = 4;
    const replay::Allocations& all = e.replay.allocations;
    const auto size = [&](std::size_t i) { return all.requested[m_kept[i].index()].value; };
    std::int64_t bytes = 0;
    std::size_t longest = 0;
    std::size_t longest_first = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < m_kept.size(); ++i) {
        bytes += size(i);
        first = size(i) == size(first) ? first : i;
        if (i + 1 - first > longest) {
            longest = i + 1 - first;
            longest_first = first;
        }
    }
    if (longest < kFewest || longest % 2 != 0
        || size(longest_first) * static_cast<std::int64_t>(longest) * 2 <= bytes) {
        return;
    }
    for (std::size_t i = 0; i < all.count(); ++i) {
        if (!all.alloc_event[i].isNone() && all.requested[i].value == size(longest_first)) {
            return; // Passes make such memory, too.
        }
    }
    for (std::size_t i = longest_first; i < longest_first + longest; ++i) {
        m_cache.insert(m_kept[i].value);
    }
}

/// No layer's weights are a thousand times as large as all others' of a model of several layers.
void EarlierSets::findVolumes(const RuleInputs& e)
{
    constexpr std::size_t kFewestOthers = 8;
    constexpr std::int64_t kFarLarger = 1000;
    std::vector<AllocationId> by_size;
    for (const AllocationId a : m_kept) {
        if (!BlasWorkspaces::isUnmistakable(e.replay.allocations.requested[a.index()])) {
            by_size.push_back(a);
        }
    }
    const auto size = [&](AllocationId a) { return e.replay.allocations.requested[a.index()]; };
    std::ranges::sort(by_size, std::greater<>(), size);
    for (std::size_t n = 1; n + kFewestOthers <= by_size.size(); ++n) {
        if (size(by_size[n - 1]).value > kFarLarger * size(by_size[n]).value) {
            std::for_each_n(by_size.begin(), n,
                            [&](AllocationId a) { m_data_set.insert(a.value); });
            return;
        }
    }
}

} // namespace tidemark::label
