// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/job/job.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::job {

// What `judge` is made of. Each reads what those before it put into the job.

/// A difference that is worth a word, as a share: kernels, padding and buckets of communication
/// vary by less.
inline constexpr double kDiffers = 0.03;
/// Bytes that are equal but for rounding to the allocator's 512.
inline constexpr double kEqual = 0.001;
bool areEqual(std::int64_t a, std::int64_t b, double share = kEqual);
/// Clocks of machines that NTP keeps agree to some tens of milliseconds; and ranks that a
/// collective holds in step fail together, in an order that means nothing.
inline constexpr Duration kInStep = std::chrono::milliseconds(100);

/// `rankName` as a sentence begins with it: "Rank 3".
std::string rankNameFirst(const RankSummary& row);
/// "ranks 0, 2 and 5 to 7", "Ranks 0 and 2"; names where one of them has no number.
std::string rankNames(const Job& job, std::span<const std::size_t> rows);
std::string rankNamesFirst(const Job& job, std::span<const std::size_t> rows);
/// "0, 2 and 5 to 7" of rising numbers; no more than a few pieces.
std::string numbersText(std::span<const std::uint32_t> numbers);
/// "forward of step 4", "forward"; empty where it is not known.
std::string placeInRun(const std::string& phase, std::int64_t step);
/// "training.py:81 forward (linear)", " line" or operation alone; empty: neither is known.
std::string placeName(const PlaceBytes& place);

/// The dumps of each rank, which lie beside each other.
std::vector<Interval<std::size_t>> rowsOfRanks(const Job& job);
/// Of the rows that decide: those that were read to their end.
std::vector<std::size_t> readRows(const Job& job);
/// Whether a rank failed in what is compared, and not only in an older dump of it.
bool endsInFailure(const Job& job);
/// The ranks of the world, with a dump or without: what is said of all of them is about so many.
std::size_t rankCount(const Job& job);
/// Whether numbers leave no doubt of how many ranks there are: only then all of them are spoken of.
bool knowsRanks(const Job& job);
/// Whether every rank of the world has a dump that was read to its end.
bool isWhole(const Job& job);

/// Sets `first`, with notes on times that are missing.
void findFirstToFail(Job& job);

/// How a job's stages differ by design.
struct Pipeline {
    bool is_one = false;
    bool falls = false; ///< Activations fall from stage to stage.
};
Pipeline findPipeline(const Job& job);

/// Sets `median` and `outliers`. O(rows log rows).
void findOutliers(Job& job, const Pipeline& pipeline);

/// What rises from dump to dump of a rank. Adds sentences.
void addGrowth(Job& job);

/// The failure, the outliers, the pipeline, the card, what is equal.
void addSentences(Job& job, const Pipeline& pipeline);
/// What is there, where nothing else is said: one rank, ranks that are not compared, none that
/// could be read. So what has rows has an answer.
void addPlainSentence(Job& job);

/// Missing, doubled, broken, mixed up, stopped early, without segments, begun late.
void addNotes(Job& job);

} // namespace tidemark::job
