// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assign/blas_workspaces.h"

#include "core/program/cublas_workspaces.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace tidemark::label {
namespace {

using program::kCublasLtWorkspace;
using program::kDefaultCublasWorkspace;
using program::kHopperCublasWorkspace;

bool isOfCublas(std::int64_t size)
{
    return size == kDefaultCublasWorkspace || size == kHopperCublasWorkspace;
}

/// What was there before the trace and stays, if it is as large as a workspace and one of two at
/// most: weights of these sizes come in larger numbers, one for each layer.
std::unordered_set<std::uint32_t> workspacesOfBefore(const trace::Device& device,
                                                     const replay::Allocations& all,
                                                     const StackKinds& kinds)
{
    constexpr std::size_t kMost = 2;
    std::map<std::int64_t, std::vector<AllocationId>> of_size;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const std::int64_t size = all.requested[i].value;
        const StackKind kind = kinds.kind(all.stack[i]);
        if (all.alloc_event[i].isNone() && all.end[i] > lastMoment(device)
            && (isOfCublas(size) || size == kCublasLtWorkspace)
            && (kind == StackKind::none || kind == StackKind::empty)) {
            of_size[size].emplace_back(i);
        }
    }
    // cuBLASLt's handle is cuBLAS' own.
    const bool has_cublas =
        of_size.contains(kDefaultCublasWorkspace) || of_size.contains(kHopperCublasWorkspace);
    std::unordered_set<std::uint32_t> found;
    for (const auto& [size, allocations] : of_size) {
        if (has_cublas && allocations.size() <= kMost) {
            for (const AllocationId a : allocations) {
                found.insert(a.value);
            }
        }
    }
    return found;
}

/// Reads one device; each function is O(events of a run) at most.
class Search {
public:
    Search(const trace::Device& device, const replay::DeviceReplay& replay, const StackKinds& kinds,
           const Runs& runs)
        : m_events(device.events)
        , m_replay(replay)
        , m_kinds(kinds)
        , m_a(replay.allocations)
        , m_runs(runs)
        , m_last_moment(lastMoment(device))
    {
    }

    std::unordered_set<std::uint32_t> find()
    {
        std::set<std::tuple<std::uint64_t, bool, std::int64_t>> seen; // Stream, backward, size.
        for (const Run& run : m_runs.runs) {
            if (run.phase == Phase::setup || run.phase == Phase::input) {
                continue;
            }
            const bool is_backward = run.phase == Phase::backward;
            for (std::size_t e = run.first_alloc.index(); e <= run.last_alloc.index(); ++e) {
                const std::optional<AllocationId> a = ofItsSize(e);
                const std::uint64_t stream = m_events.stream.empty() ? 0 : m_events.stream[e];
                if (a && seen.emplace(stream, is_backward, size(*a)).second
                    && isWorkspace(*a, e, run)) {
                    m_found.insert(a->value);
                }
            }
        }
        findEarlier();
        return std::move(m_found);
    }

private:
    [[nodiscard]] std::int64_t size(AllocationId a) const
    {
        return m_a.requested[a.index()].value;
    }
    [[nodiscard]] bool livesToTheEnd(AllocationId a) const
    {
        return m_a.end[a.index()] > m_last_moment;
    }

    /// Of what a pass made before the trace its backward lets go of what it saved, and the step of
    /// the gradients.
    void findEarlier()
    {
        const bool has_backward = std::ranges::any_of(m_runs.runs, [](const Run& run) {
            return run.phase == Phase::backward && !run.is_last;
        });
        for (std::size_t i = 0; has_backward && i < m_a.count(); ++i) {
            const AllocationId a(i);
            const StackKind kind = m_kinds.kind(m_a.stack[i]);
            const bool is_of_pass = kind == StackKind::forward || kind == StackKind::backward;
            if (m_a.alloc_event[i].isNone() && is_of_pass && livesToTheEnd(a)
                && (isOfCublas(size(a)) || size(a) == kCublasLtWorkspace)) {
                m_found.insert(a.value);
            }
        }
    }

    /// The allocation of an event, if it is as large as a workspace.
    [[nodiscard]] std::optional<AllocationId> ofItsSize(std::size_t e) const
    {
        const AllocationId a = m_replay.event_allocation[e];
        const bool is_its_size =
            m_events.action[e] == trace::Action::alloc && !a.isNone() && isOfCublas(size(a));
        return is_its_size ? std::optional(a) : std::nullopt;
    }

    [[nodiscard]] bool isWorkspace(AllocationId a, std::size_t e, const Run& run) const
    {
        if (!livesToTheEnd(a)) {
            return false;
        }
        if (size(a) == kDefaultCublasWorkspace) {
            return true;
        }
        const bool is_told = run.phase == Phase::backward
            ? !areGradientsKept(run) || countKept(run, size(a)) > countMadeBefore(run, size(a))
            : !m_runs.is_frameless || !run.is_last;
        return is_told && isBesideItsResult(a, e, run);
    }

    /// Its neighbour, which is the product's result as a rule, is made at the same place. Code that
    /// torch.compile writes makes the result a line earlier; where a pass did not end, all that it
    /// saved lives on, so there the line must be the same.
    [[nodiscard]] bool isBesideItsResult(AllocationId a, std::size_t e, const Run& run) const
    {
        const StackId own = m_a.stack[a.index()];
        const auto isFromTheSamePlace = [&](std::size_t other) {
            const AllocationId b = m_replay.event_allocation[other];
            if (b.isNone()) {
                return false;
            }
            const StackId stack = m_a.stack[b.index()];
            return stack == own
                || (!run.is_last && m_kinds.function(stack) == m_kinds.function(own));
        };
        std::size_t before = e;
        while (before > 0 && m_events.action[before - 1] != trace::Action::alloc) {
            --before;
        }
        std::size_t next = e + 1;
        while (next < m_events.count() && m_events.action[next] != trace::Action::alloc) {
            ++next;
        }
        return (before > 0 && isFromTheSamePlace(before - 1))
            || (next < m_events.count() && isFromTheSamePlace(next));
    }

    /// Whether most of what backward leaves is still there at the end, as gradients that
    /// zero_grad(set_to_none=False) keeps, and those of the last step.
    [[nodiscard]] bool areGradientsKept(const Run& run) const
    {
        std::int64_t left = 0;
        std::int64_t kept = 0;
        forEach(run, [&](AllocationId a) {
            if (m_a.isLive(a, run.over)) {
                ++left;
                kept += livesToTheEnd(a) ? 1 : 0;
            }
        });
        return kept * 2 > left;
    }

    [[nodiscard]] std::int64_t countKept(const Run& run, std::int64_t bytes) const
    {
        std::int64_t count = 0;
        forEach(run,
                [&](AllocationId a) { count += size(a) == bytes && livesToTheEnd(a) ? 1 : 0; });
        return count;
    }

    /// Weights of a size: what is there before a run and at the end.
    [[nodiscard]] std::int64_t countMadeBefore(const Run& run, std::int64_t bytes) const
    {
        std::int64_t count = 0;
        for (std::size_t i = 0; i < m_a.count(); ++i) {
            const AllocationId a(i);
            const bool is_weight = size(a) == bytes && livesToTheEnd(a)
                && m_a.isLive(a, StateId::before(run.first)) && !m_found.contains(a.value);
            count += is_weight ? 1 : 0;
        }
        return count;
    }

    template <class Do>
    void forEach(const Run& run, const Do& call) const
    {
        for (std::size_t e = run.first_alloc.index(); e <= run.last_alloc.index(); ++e) {
            const AllocationId a = m_replay.event_allocation[e];
            if (m_events.action[e] == trace::Action::alloc && !a.isNone()) {
                call(a);
            }
        }
    }

    const trace::Events& m_events;
    const replay::DeviceReplay& m_replay;
    const StackKinds& m_kinds;
    const replay::Allocations& m_a;
    const Runs& m_runs;
    StateId m_last_moment;
    std::unordered_set<std::uint32_t> m_found;
};

} // namespace

BlasWorkspaces::BlasWorkspaces(const trace::Device& device, const replay::DeviceReplay& replay,
                               const StackKinds& kinds, const Runs& runs)
    : m_found(Search(device, replay, kinds, runs).find())
    , m_of_its_size(workspacesOfBefore(device, replay.allocations, kinds))
{
}

bool BlasWorkspaces::isItsSize(Bytes bytes)
{
    return isOfCublas(bytes.value);
}

bool BlasWorkspaces::isUnmistakable(Bytes bytes)
{
    return bytes.value == program::kDefaultCublasWorkspace;
}

} // namespace tidemark::label
