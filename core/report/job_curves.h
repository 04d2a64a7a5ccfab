// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/job/job.h"
#include "core/projection/timeline.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tidemark::report {

/// What the small pictures of several ranks share.
struct JobAxis {
    bool is_time = false; ///< Microseconds since the epoch; else events.
    Interval<double> extent{0, 1};
    Bytes top; ///< The most that is drawn.

    /// Bytes at the top of each picture; more than nothing.
    [[nodiscard]] double topBytes() const;
    [[nodiscard]] std::string beginText() const;
    [[nodiscard]] std::string endText() const;
};

/// One clock where all have times and ran together, else each by its events. `rows` have curves.
JobAxis jobAxis(const job::Job& job, std::span<const std::size_t> rows);

/// A rank's curve in columns; a point holds until the next one, and in one column the fullest
/// counts. O(points + width).
std::vector<projection::TimelineColumn> columnsOf(const job::RankSummary& row, const JobAxis& axis,
                                                  int width);

/// Whether its capacity has a line in its picture: it is known and not above its top.
bool showsCapacity(const job::RankSummary& row, const JobAxis& axis);

/// Where on the axis the request failed, 0 to 1.
std::optional<double> oomAt(const job::RankSummary& row, const JobAxis& axis);

} // namespace tidemark::report
