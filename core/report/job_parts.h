// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/job.h"
#include "core/report/document.h"

#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace tidemark::report {

// What the pages about a job share, whatever they are written to.

/// "rank 3", "rank 3, device 1" where it has several.
std::string rankName(const job::Job& job, std::size_t row);

/// How much higher a bucket peaks in a rank than in the median one: that where it is most.
struct AgainstMedian {
    label::Bucket bucket = label::Bucket::unknown;
    Bytes delta;
    bool is_small = true; ///< Less than a hundredth of what the median rank wanted to hold.
};
/// None without a median, for itself, and for what could not be read. As `job::judge` says it of an
/// outlier, else against the median rank of all.
std::optional<AgainstMedian> againstMedian(const job::Job& job, std::size_t row);

/// The rows that a page has room for: all of few; of many the one that failed first, those that
/// differ, those that could not be read, and the median.
struct ShownRows {
    std::vector<std::size_t> rows; ///< Where all are shown in the job's order.
    std::vector<std::size_t> alike; ///< Left out: as the median rank.
    std::vector<std::size_t> others; ///< Left out: any other.
    std::size_t earlier = 0; ///< Other moments of the same ranks, left out.
};
ShownRows shownRows(const job::Job& job);
/// "… 500 more ranks like rank 7" and the like; empty where all are shown.
std::vector<std::string> leftOutLines(const job::Job& job, const ShownRows& shown);

/// The table of `shown`, and the sentences below the first.
Table jobTable(const job::Job& job, const ShownRows& shown);
std::string jobTitle(const job::Job& job);
std::vector<std::string> furtherSentences(const job::Job& job);
/// The first few, and how many more there are.
std::vector<std::string> shownNotes(const job::Job& job);

/// Which ranks are drawn: at most eight, the outliers first where there are more.
std::vector<std::size_t> drawnRows(const job::Job& job);
/// Small multiples on one clock and one scale; none where no row has a curve.
std::optional<Figure> jobFigure(const job::Job& job);

/// A line for each row, under a line of names; bytes and microseconds as they are.
void writeJobCsv(std::ostream& out, const job::Job& job);

} // namespace tidemark::report
