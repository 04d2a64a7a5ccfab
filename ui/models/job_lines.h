// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/job/job.h"

#include <QtCore/QString>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::ui {

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

enum class JobAxis : std::uint8_t { clock, event };
/// Outliers first: the rank that failed before all others, then the largest differences.
enum class RankOrder : std::uint8_t { rank, outliers_first };
enum class ShownMoments : std::uint8_t { last, all };

/// What the small pictures of a job show: a line for each rank, its dumps beside each other.
struct JobLines {
    struct Line {
        std::size_t row = kNoRow; ///< Of the job: the dump that is compared.
        std::vector<std::size_t> cells; ///< Rows of the job by column; kNoRow: no dump of then.
        bool is_outlier = false;
    };
    struct Column {
        QString title; ///< The moment; empty: the last dump of each rank.
        /// Microseconds of the clock; empty where no dump of it has times.
        Interval<double> clock;
        Interval<double> events;
        /// Share of the clock before which no rank has made a tenth of its events, where that is
        /// most of it (setting up takes long, and shows nothing); else 0.
        double quiet = 0;
    };
    std::vector<Line> lines;
    std::vector<Column> columns;
    Bytes top; ///< The largest total or reserved size of any cell: one scale for all.

    [[nodiscard]] bool hasClock() const;
    /// The line that holds a row of the job; kNoRow: none.
    [[nodiscard]] std::size_t lineOf(std::size_t row) const;
};

/// So many moments find room beside each other; of more the last ones are shown.
inline constexpr std::size_t kMostMoments = 6;

/// O(rows log rows + points).
[[nodiscard]] JobLines linesOf(const job::Job& job, RankOrder order, ShownMoments moments);
/// Whether any rank has dumps of several moments.
[[nodiscard]] bool hasMoments(const job::Job& job);
/// The rows that are compared, in an order; of a job that is not judged yet the last of each rank.
[[nodiscard]] std::vector<std::size_t> comparedRows(const job::Job& job, RankOrder order);
/// What a row is held against: the median rank of its group; kNoRow: nothing, or it is that.
[[nodiscard]] std::size_t medianOf(const job::Job& job, std::size_t row);

/// As `job::rankName`.
[[nodiscard]] QString rankText(const job::RankSummary& row);
/// "rank 3, step 9, exit".
[[nodiscard]] QString dumpName(const job::RankSummary& row);
/// "10:57:03.412", in the time zone of this machine.
[[nodiscard]] QString clockText(TimePoint time);
/// How a rank ended beside the others: "first to fail, 10:57:03.412", "failed 8 ms later", "went on
/// for 20 ms"; empty where nothing is known.
[[nodiscard]] QString fateText(const job::Job& job, std::size_t row);
/// What is known of a rank beside its memory, a line each: host, card and coordinates; why it was
/// dumped, and the exception that was noted.
[[nodiscard]] QString rankNotes(const job::RankSummary& row);

} // namespace tidemark::ui
