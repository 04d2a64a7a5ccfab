// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/places.h"
#include "core/compare/side.h"
#include "core/diagnose/moment.h"
#include "core/label/runs/passes.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tidemark::compare {

/// What lies beside what.
enum class AlignBy : std::uint8_t {
    step, ///< Same step and pass, then the same place, then how often it was there in that pass.
    phase, ///< The same place, whichever step: for recordings that began at different moments.
    time, ///< Moments by time since the first event.
    event, ///< Moments by number of events.
};

struct AlignOptions {
    AlignBy by = AlignBy::step;
    /// By hand: this step of A lies beside this step of B (as the trace counts, from 1), and all
    /// others accordingly.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> steps;
};

/// A moment of A and the one of B at the same place.
struct MatchedMoment {
    StateId a;
    StateId b;
    friend constexpr bool operator==(const MatchedMoment&, const MatchedMoment&) = default;
};

/// A moment of one of the runs.
struct SideMoment {
    bool is_of_b = false;
    StateId state;
};

/// Which allocation of A is which of B, and which moment of one is which of the other.
///
///     A  pass 1: embed  linear linear softmax …      gap: step   pass 2: …
///     B  pass 1: embed  linear linear softmax …      gap: step   pass 2: …
///        the n-th allocation of a place in a pass (or between two) is the n-th of the other run
///
/// So it is with all that has no place in a pass. Where counts differ, what is made there is told
/// apart by what it is (a cast of a weight, a product of the same dimensions), and the last of each
/// group is the same in both. What finds no partner has none.
class Alignment {
public:
    /// `moment` lies in a pass that certainly has a partner, the last of its kind where the other
    /// run has fewer. O(allocations log allocations).
    Alignment(const Side& a, const Side& b, const Places& places, const AlignOptions& options,
              SideMoment moment);

    /// None: no counterpart.
    [[nodiscard]] AllocationId inA(AllocationId b) const
    {
        return m_a_of_b[b.index()];
    }
    [[nodiscard]] AllocationId inB(AllocationId a) const
    {
        return m_b_of_a[a.index()];
    }
    /// What an allocation of B, or where that is none of A, is apart from its size: a number that
    /// both runs share.
    [[nodiscard]] std::int64_t nature(AllocationId a, AllocationId b) const
    {
        return b.isNone() ? m_nature_a[m_side_a.program.size_of[a.index()]]
                          : m_nature_b[m_side_b.program.size_of[b.index()]];
    }
    /// Whether it was made in a pass that both runs have.
    [[nodiscard]] bool isInSharedPassOfA(AllocationId a) const
    {
        return isSharedPass(m_unit_a[a.index()]);
    }
    [[nodiscard]] bool isInSharedPassOfB(AllocationId b) const
    {
        return isSharedPass(m_unit_b[b.index()]);
    }
    [[nodiscard]] std::size_t matched() const
    {
        return m_matched;
    }
    /// Where passes that both runs have begin, turn and end, in the order of A.
    [[nodiscard]] const std::vector<MatchedMoment>& boundaries() const
    {
        return m_boundaries;
    }
    /// The moment of the other run at the same place. O(log allocations + distance to the nearest
    /// counterpart).
    [[nodiscard]] StateId other(SideMoment moment) const;

private:
    [[nodiscard]] bool isSharedPass(std::int32_t unit) const
    {
        return unit >= 0 && m_is_shared[static_cast<std::size_t>(unit)];
    }
    void match(AllocationId a, AllocationId b);
    void matchPlaces(const Side& a, const Side& b, const Places& places);
    void matchSets(const Side& a, const Side& b);
    void matchGroup(const Side& a, const Side& b, std::span<const AllocationId> of_a,
                    std::span<const AllocationId> of_b);

    const Side& m_side_a;
    const Side& m_side_b;
    AlignBy m_by;
    std::vector<std::uint32_t> m_nature_a; ///< Per size and use of the program.
    std::vector<std::uint32_t> m_nature_b;
    std::vector<std::int32_t> m_unit_a; ///< Per allocation; −1: before the trace.
    std::vector<std::int32_t> m_unit_b; ///< In A's numbering; −1 before the trace, −2 without one.
    std::vector<bool> m_is_shared; ///< Per unit of A: a pass that B has, too.
    std::vector<AllocationId> m_a_of_b;
    std::vector<AllocationId> m_b_of_a;
    std::vector<MatchedMoment> m_boundaries;
    std::size_t m_matched = 0;
};

} // namespace tidemark::compare
