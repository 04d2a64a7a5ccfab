// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::test {

// Ranks made by hand, and what is asked of their job.

using job::Job;
using job::RankSummary;
using label::Bucket;

inline constexpr std::int64_t kGiBytes = kGiB.value;
inline constexpr std::int64_t kMiBytes = kMiB.value;

inline std::int64_t& of(label::BucketBytes& buckets, Bucket bucket)
{
    return buckets[label::indexOf(bucket)];
}

/// A rank of data parallel training at its peak.
inline RankSummary rankOf(std::uint32_t rank, std::int64_t activations = kGiBytes)
{
    RankSummary row;
    row.file = fmt::format("rank{}.pickle", rank);
    row.rank = rank;
    row.steps = 3;
    row.last_time = TimePoint(Duration(1'000'000));
    of(row.decisive, Bucket::parameter) = 200 * kMiBytes;
    of(row.decisive, Bucket::optimizer_state) = 400 * kMiBytes;
    of(row.decisive, Bucket::activation) = activations;
    row.largest = row.decisive;
    row.peak = row.wanted();
    return row;
}

inline RankSummary& fail(RankSummary& row, std::int64_t at_ms,
                         std::int64_t requested = 300 * kMiBytes)
{
    job::RankOom oom;
    oom.time = TimePoint(Duration(at_ms * 1000));
    oom.requested = {requested};
    oom.active = row.wanted();
    oom.reserved = oom.active;
    oom.phase = "forward";
    oom.step = 4;
    row.oom = oom;
    row.moment.kind = job::DumpKind::oom;
    return row;
}

inline std::vector<RankSummary> ranks(std::uint32_t count, std::int64_t activations = kGiBytes)
{
    std::vector<RankSummary> rows;
    for (std::uint32_t rank = 0; rank < count; ++rank) {
        rows.push_back(rankOf(rank, activations));
    }
    return rows;
}

inline bool says(const Job& job, std::string_view words)
{
    return std::ranges::any_of(job.sentences, [&](const job::Sentence& sentence) {
        return sentence.text.find(words) != std::string::npos;
    });
}

inline bool notes(const Job& job, std::string_view words)
{
    return std::ranges::any_of(
        job.notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

inline std::vector<std::uint32_t> odd(const Job& job)
{
    std::vector<std::uint32_t> found;
    for (const job::Outlier& outlier : job.outliers) {
        found.push_back(job.rows[outlier.row].rank.value_or(999));
    }
    return found;
}

} // namespace tidemark::test
