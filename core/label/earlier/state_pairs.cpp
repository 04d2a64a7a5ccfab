// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/earlier/state_pairs.h"

#include "core/label/earlier/earlier_age.h"

#include <algorithm>
#include <map>
#include <vector>

namespace tidemark::label {
namespace {

/// Kept allocations of one size, by address.
struct Alike {
    std::vector<AllocationId> all;
    std::vector<AllocationId> paired; ///< Two by two.
    bool any_freed = false; ///< The order in which they go says more than where they lie.
};

/// What the allocator may add to a block: rounding, and a rest too small to split off.
std::uint64_t mostBetween(std::int64_t size)
{
    constexpr std::int64_t kSmall = 1 << 20;
    return static_cast<std::uint64_t>(size <= kSmall ? 511 : kSmall + 511);
}

} // namespace

StatePairs::StatePairs(const RuleInputs& evidence, const SizeCounts& per_copy)
{
    const replay::Allocations& a = evidence.replay.allocations;
    std::vector<AllocationId> kept;
    for (std::size_t i = 0; i < a.count(); ++i) {
        if (a.alloc_event[i].isNone() && evidence.livesToTheEnd(AllocationId(i))) {
            kept.emplace_back(i);
        }
    }
    std::ranges::sort(kept, {}, [&](AllocationId id) { return a.address[id.index()]; });
    std::map<std::int64_t, Alike> alike;
    AllocationId open = AllocationId::none(); // The last one, if it has no partner yet.
    for (const AllocationId id : kept) {
        const std::int64_t size = a.requested[id.index()].value;
        const StackKind kind = evidence.kinds.kind(a.stack[id.index()]);
        if (kind != StackKind::none && kind != StackKind::empty) {
            open = AllocationId::none();
            continue;
        }
        Alike& same = alike[size];
        same.all.push_back(id);
        same.any_freed =
            same.any_freed || a.end[id.index()].index() <= evidence.device.events.count();
        const bool is_pair = !open.isNone() && a.requested[open.index()].value == size
            && a.address[id.index()] - a.address[open.index()]
                <= static_cast<std::uint64_t>(size) + mostBetween(size);
        if (is_pair) {
            same.paired.insert(same.paired.end(), {open, id});
        }
        open = is_pair ? AllocationId::none() : id;
    }
    std::vector<std::size_t> age(a.count()); // How many are older.
    const std::vector<AllocationId> oldest = oldestFirst(a, evidence.device.segments);
    for (std::size_t i = 0; i < oldest.size(); ++i) {
        age[oldest[i].index()] = i;
    }
    for (auto& [size, same] : alike) {
        const auto it = per_copy.find(size);
        const std::size_t n = it == per_copy.end()
            ? 0
            : static_cast<std::size_t>(std::max<std::int64_t>(it->second, 0));
        if (n == 0 || same.any_freed || same.all.size() != 4 * n || same.paired.size() < 2 * n) {
            continue;
        }
        // Weights may lie side by side, too; they are older.
        std::ranges::sort(same.paired, {}, [&](AllocationId id) { return age[id.index()]; });
        m_sizes.insert(size);
        for (std::size_t i = same.paired.size() - 2 * n; i < same.paired.size(); ++i) {
            m_state.insert(same.paired[i].value);
        }
    }
}

} // namespace tidemark::label
