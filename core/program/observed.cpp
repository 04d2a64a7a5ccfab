// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/observed.h"

#include "core/program/constants.h"
#include "core/program/cublas_workspaces.h"

#include <algorithm>
#include <cassert>

namespace tidemark::program {
namespace {

/// Adds up what lives in each state.
std::vector<std::int64_t> sums(std::vector<std::int64_t> changes)
{
    std::int64_t total = 0;
    for (std::int64_t& change : changes) {
        total += change;
        change = total;
    }
    return changes;
}

void addLife(std::vector<std::int64_t>& changes, const Observed& o, std::size_t a)
{
    changes[o.begin[a].index()] += o.size(a);
    if (o.end[a].index() < changes.size()) {
        changes[o.end[a].index()] -= o.size(a);
    }
}

/// What is made early, or before the trace, and is never freed.
bool stays(const Observed& o, std::size_t a, std::size_t states)
{
    return o.end[a].index() >= states
        && o.begin[a].index()
        <= 1 + static_cast<std::size_t>(kEarlyShare * static_cast<double>(states - 1));
}

void takeLastingForWeights(Observed& o, const ProgramInput& evidence, std::size_t states)
{
    std::int64_t lasting = 0;
    std::int64_t called_weights = 0;
    std::int64_t called_others = 0;
    for (std::size_t a = 0; a < o.count(); ++a) {
        if (stays(o, a, states)) {
            lasting += o.size(a);
            called_weights += o.kind[a] == Usage::weight ? o.size(a) : 0;
            called_others +=
                o.kind[a] == Usage::gradient || o.kind[a] == Usage::state ? o.size(a) : 0;
        }
    }
    const auto share = [](std::int64_t bytes) {
        return kLastingShare * static_cast<double>(bytes);
    };
    if (states < 2 || static_cast<double>(called_weights) >= share(lasting - called_others)
        || static_cast<double>(called_others) >= share(lasting)) {
        return;
    }
    for (std::size_t a = 0; a < o.count(); ++a) {
        if (stays(o, a, states) && !isFixed(o.kind[a]) && !evidence.isCertain(a)
            && o.size(a) != kDefaultCublasWorkspace) {
            o.kind[a] = Usage::weight;
        }
    }
}

} // namespace

bool Observed::isMadeBetweenPasses(std::size_t a) const
{
    const std::size_t before = begin[a].index() == 0 ? 0 : begin[a].index() - 1;
    return most_held > 0
        && static_cast<double>(held[before]) < kHeldShare * static_cast<double>(most_held);
}

Observed observe(const replay::DeviceReplay& replay, const ProgramInput& evidence)
{
    assert(evidence.kind.size() == replay.allocations.count());
    Observed o;
    o.bytes = replay.allocations.requested;
    o.begin = replay.allocations.begin;
    o.end = replay.allocations.end;
    o.kind = evidence.kind;
    o.gathered_per_shard = evidence.gathered_per_shard;
    o.element_bytes = evidence.element_bytes;
    const std::size_t states = replay.stateCount();
    takeLastingForWeights(o, evidence, states);
    std::vector<std::int64_t> changes(states, 0);
    for (std::size_t a = 0; a < o.count(); ++a) {
        if (o.kind[a] == Usage::saved && o.begin[a] < o.end[a]) {
            addLife(changes, o, a);
        }
    }
    o.held = sums(std::move(changes));
    o.most_held = o.held.empty() ? 0 : std::ranges::max(o.held);
    return o;
}

std::vector<std::size_t> aliveAtMost(const Observed& o, std::span<const std::size_t> members)
{
    std::vector<std::int64_t> changes(o.stateCount(), 0);
    for (const std::size_t a : members) {
        addLife(changes, o, a);
    }
    const std::vector<std::int64_t> totals = sums(std::move(changes));
    const auto state =
        static_cast<std::uint32_t>(std::distance(totals.begin(), std::ranges::max_element(totals)));
    std::vector<std::size_t> alive;
    for (const std::size_t a : members) {
        if (o.begin[a].value <= state && state < o.end[a].value) {
            alive.push_back(a);
        }
    }
    return alive;
}

} // namespace tidemark::program
