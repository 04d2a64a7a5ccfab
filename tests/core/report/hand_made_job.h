// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/job.h"

namespace tidemark::test {

using job::Job;
using job::RankSummary;
using label::Bucket;

inline constexpr std::int64_t kStart = 1'795'800'000'000'000;

inline TimePoint at(std::int64_t microseconds)
{
    return TimePoint(Duration(kStart + microseconds));
}

inline RankSummary rank(std::uint32_t number, std::int64_t activations_mib)
{
    RankSummary row;
    row.file = "run.rank" + std::to_string(number) + ".pickle";
    row.rank = number;
    row.events = 100;
    row.first_time = at(0);
    row.last_time = at(1'000'000);
    row.decisive[label::indexOf(Bucket::parameter)] = 100 * kMiB.value;
    row.decisive[label::indexOf(Bucket::activation)] = activations_mib * kMiB.value;
    row.largest = row.decisive;
    row.peak = row.wanted();
    row.reserved = row.peak + kMiB;
    row.curve.points = {{-1, {}, {}, {}}, {50, at(500'000), row.reserved, row.decisive}};
    return row;
}

inline void runsOut(RankSummary& row, std::int64_t microseconds)
{
    row.oom.emplace();
    row.oom->event = 99;
    row.oom->time = at(microseconds);
    row.oom->requested = kMiB;
}

/// `count` ranks that hold the same, with rank 1 as their median.
inline Job jobOf(std::uint32_t count)
{
    Job job;
    for (std::uint32_t i = 0; i < count; ++i) {
        job.rows.push_back(rank(i, 20));
        job.deciding.push_back(i);
    }
    job.world_size = count;
    job.median = 1;
    job.equal = {Bucket::parameter};
    job.sentences = {{job::Says::equal, "All ranks hold the same.", std::nullopt}};
    return job;
}

/// Rank 3 holds four times the activations and runs out; ranks 0 to 2 follow 8 ms later.
inline Job jobOfFour()
{
    Job job = jobOf(4);
    job.rows[3] = rank(3, 80);
    runsOut(job.rows[3], 700'000);
    for (std::size_t i = 0; i < 3; ++i) {
        runsOut(job.rows[i], 708'000);
    }
    job.first.emplace();
    job.first->row = 3;
    job.first->others = {0, 1, 2};
    job.first->lead = Duration(8000);
    job.outliers = {{.row = 3,
                     .against = 1,
                     .delta = Bytes{61 * kMiB.value},
                     .bucket = Bucket::activation,
                     .bucket_delta = Bytes{60 * kMiB.value},
                     .because = "Its sequences are 4× as long."}};
    job.sentences = {{job::Says::failure, "Rank 3 of 4 ran out first.", 3},
                     {job::Says::outlier, "Its activations are 4 × those of the other ranks.", 3},
                     {job::Says::equal, "Parameters are equal on all ranks.", std::nullopt},
                     {job::Says::fix, "Cut rank 3's sequences to 128 tokens.", 3}};
    job.notes = {"Rank 2 was written twice."};
    return job;
}

} // namespace tidemark::test
