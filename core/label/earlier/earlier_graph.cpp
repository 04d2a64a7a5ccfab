// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/earlier/earlier_graph.h"

#include <algorithm>
#include <map>

namespace tidemark::label {
namespace {

/// Scalars are freed and made for many reasons.
constexpr std::int64_t kSmallestOfGraph = 512;
/// Fewer are a result or a batch that took the place of the last one.
constexpr std::size_t kFewestOfGraph = 8;

bool mayBeSaved(Bucket bucket)
{
    return bucket == Bucket::activation || bucket == Bucket::temporary || bucket == Bucket::output
        || bucket == Bucket::input || bucket == Bucket::unknown;
}

} // namespace

EarlierGraph::EarlierGraph(const RuleInputs& evidence, const Assigner& labels)
{
    if (evidence.runs.has_training || evidence.runs.runs.empty()) {
        return; // a backward has freed it
    }
    const replay::Allocations& all = evidence.replay.allocations;
    std::map<std::int64_t, std::int64_t> made; // size → how many the last pass keeps
    std::vector<AllocationId> freed;
    std::int64_t freed_bytes = 0;
    std::int64_t made_bytes = 0;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const AllocationId a(i);
        const std::int64_t size = all.requested[i].value;
        if (size < kSmallestOfGraph) {
            continue;
        }
        if (!all.alloc_event[i].isNone()) {
            const bool is_kept = evidence.livesToTheEnd(a) && mayBeSaved(labels.bucketOf(a));
            made[size] += is_kept ? 1 : 0;
            made_bytes += is_kept ? size : 0;
        } else if (all.end[i].index() <= evidence.device.events.count()) {
            freed.push_back(a);
            freed_bytes += size;
        }
    }
    std::int64_t again_bytes = 0;
    std::vector<AllocationId> again;
    for (const AllocationId a : freed) {
        const auto same = made.find(all.requested[a.index()].value);
        if (same != made.end() && same->second > 0) {
            --same->second;
            again_bytes += same->first;
            again.push_back(a);
        }
    }
    // Nearly all of what went has come again, or of what came; a program's end frees weights, too,
    // which have no such twins.
    const bool is_all_freed = again_bytes * 10 >= freed_bytes * 9;
    if (again.size() < kFewestOfGraph || (!is_all_freed && again_bytes * 10 < made_bytes * 9)) {
        return;
    }
    m_of.resize(all.count());
    for (const AllocationId a : is_all_freed ? freed : again) {
        m_of[a.index()] = true;
    }
}

} // namespace tidemark::label
