// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/max_pyramid.h"
#include "core/curves/curves.h"
#include "core/projection/timeline.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace tidemark::projection {

/// Bytes per band of some allocations over the states of their device. Holds what changes, and one
/// full vector per 64 changes; nothing of the replay or the curves that it was made from.
/// Immutable.
class SelectedBytes {
public:
    SelectedBytes() = default;
    /// `ids` rise. O(n log n) of what is selected; asked to stop it stops early, and what it then
    /// says means nothing.
    SelectedBytes(const curves::DeviceCurves& curves, std::span<const AllocationId> ids,
                  const std::stop_token& stop = {});

    /// In a state. O(64 + log n).
    [[nodiscard]] label::BucketBytes at(StateId state) const;
    /// How many of them live in a state. O(log n).
    [[nodiscard]] std::int64_t countAt(StateId state) const;
    /// The largest sum inside a non-empty range; 0 where none of them lives. O(64 log n).
    [[nodiscard]] std::int64_t largest(Interval<StateId> range) const;

private:
    struct Change {
        StateId state;
        std::uint32_t band = 0;
        bool begins = false;
        std::int64_t bytes = 0; ///< Below zero where one ends.
    };
    /// Changes up to and in a state.
    [[nodiscard]] std::size_t changesUntil(StateId state) const;

    static constexpr std::size_t kDistance = 64;
    std::vector<Change> m_changes; ///< By state; what ends comes before what begins.
    std::vector<label::BucketBytes> m_checkpoints; ///< Before every 64th change.
    std::vector<std::int64_t> m_totals; ///< Behind each change.
    std::vector<std::uint32_t> m_counts; ///< Of those that live, behind each change.
    MaxPyramid m_pyramid; ///< Over the totals.
};

/// What is selected in one column of a timeline.
struct SelectedColumn {
    label::BucketBytes bands{}; ///< In the state whose composition the column shows.
    std::int64_t largest = 0; ///< Anywhere in the column; 0: none of it lives there.
    friend bool operator==(const SelectedColumn&, const SelectedColumn&) = default;
};

/// One per column of `timeline`. O(columns · (64 + 64 log n)).
std::vector<SelectedColumn> projectSelected(const SelectedBytes& selected, const AxisMap& axis,
                                            const TimelineProjection& timeline);

} // namespace tidemark::projection
