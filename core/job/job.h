// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/rank_summary.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tidemark::job {

/// The rank whose request failed before those of all others.
struct FirstToFail {
    std::size_t row = 0;
    /// No other failed, or the next one so much later that clocks of different machines agree on
    /// the order.
    bool certain = true;
    std::vector<std::size_t> others; ///< That failed too, in the order of their times.
    std::optional<Duration> lead; ///< Over the next; none: it was alone, or times are missing.
    std::optional<Duration> span; ///< From the first to the last failure.
    bool same_request = false; ///< All of them asked for the same number of bytes.
};

/// A rank that holds another amount than the median rank of its group.
struct Outlier {
    std::size_t row = 0;
    std::size_t against = 0; ///< The median rank's.
    Bytes delta; ///< Of what it wanted to hold; negative: it holds less.
    /// That whose own peak differs most: the ranks' totals may peak in different phases.
    label::Bucket bucket = label::Bucket::unknown;
    Bytes bucket_delta;
    std::string because; ///< A sentence with its figure and line; empty: not known (yet).
};

enum class Says : std::uint8_t { failure, outlier, growth, pipeline, equal, sharding, card, fix };
struct Sentence {
    Says says = Says::failure;
    std::string text;
    std::optional<std::size_t> row; ///< What it is about.
};

/// All that is said of a job. Memory is never summed over ranks.
struct Job {
    std::vector<RankSummary> rows; ///< By rank, moment, device; those without a rank last.
    /// Of each rank the row that is compared: its last moment. None of a rank whose dumps are of an
    /// earlier run.
    std::vector<std::size_t> deciding;
    /// As files say it, else the highest rank and one; none where that is far above the others.
    std::optional<std::uint32_t> world_size;
    std::vector<std::uint32_t> missing; ///< Ranks of the world without a dump.
    std::optional<FirstToFail> first;
    std::vector<Outlier> outliers; ///< The one that failed first, then the largest difference.
    std::optional<std::size_t> median; ///< The median rank's row; none: fewer than two ranks.
    std::vector<label::Bucket> equal; ///< As large on every rank, and not empty.
    std::vector<Sentence> sentences; ///< The answer first.
    std::vector<std::string> notes; ///< Missing, doubled, broken, mixed up, without segments.

    [[nodiscard]] bool ranOut() const; ///< Any rank, at any moment.
};

/// "rank 3"; without a number its coordinates ("tp 3") or its file's name.
std::string rankName(const RankSummary& row);
/// What is one rank: its number; without one its coordinates, and where dumps tell no moments of
/// one process apart, its file. Ranks with a number come first.
using RankKey = std::tuple<std::uint32_t, Coordinates, std::string, std::string>;
RankKey rankKey(const RankSummary& row);

/// Puts the ranks of a job together: who failed first, who is different, what is equal. Knows
/// nothing but the summaries; O(rows log rows + places).
Job judge(std::vector<RankSummary> rows);

} // namespace tidemark::job
