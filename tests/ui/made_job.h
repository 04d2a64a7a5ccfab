// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/job.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tidemark::test {

/// A rank that holds `activations` beside 100 MiB of parameters and 200 MiB of optimizer state,
/// with a curve of so many points, a millisecond apart.
inline job::RankSummary madeRank(std::uint32_t rank, Bytes activations, std::size_t points = 8)
{
    job::RankSummary row;
    row.file = "rank" + std::to_string(rank) + ".pickle";
    row.snapshot = "/nowhere/" + row.file;
    row.rank = rank;
    row.host = "node" + std::to_string(rank / 8);
    row.card = "NVIDIA H200";
    row.events = static_cast<std::int64_t>(points) * 10;
    const TimePoint start{Duration{1'795'800'000'000'000}};
    row.first_time = start;
    row.last_time = start + Duration{static_cast<std::int64_t>(points) * 1000};
    row.steps = 2;
    row.decisive[label::indexOf(label::Bucket::parameter)] = 100 * kMiB.value;
    row.decisive[label::indexOf(label::Bucket::optimizer_state)] = 200 * kMiB.value;
    row.decisive[label::indexOf(label::Bucket::activation)] = activations.value;
    row.largest = row.decisive;
    row.peak = {300 * kMiB.value + activations.value};
    row.reserved = {row.peak.value + 50 * kMiB.value};
    for (std::size_t i = 0; i < points; ++i) {
        job::RankCurve::Point point;
        point.event = static_cast<std::int64_t>(i) * 10 - 1;
        point.time = start + Duration{static_cast<std::int64_t>(i) * 1000};
        point.buckets = row.decisive;
        point.buckets[label::indexOf(label::Bucket::activation)] = activations.value
            * static_cast<std::int64_t>(i + 1) / static_cast<std::int64_t>(points);
        point.reserved = row.reserved;
        row.curve.points.push_back(point);
    }
    return row;
}

/// A job whose last rank has three times the activations of the others and runs out of memory, and
/// whose rank 1 holds a little more: two outliers. At least three ranks.
inline job::Job madeJob(std::uint32_t ranks, std::size_t points = 8)
{
    job::Job job;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const bool is_last = rank + 1 == ranks;
        const std::int64_t factor = is_last ? 30 : rank == 1 ? 12 : 10;
        job.rows.push_back(madeRank(rank, {factor * 10 * kMiB.value}, points));
        job.deciding.push_back(rank);
        if (is_last) {
            job::RankOom oom;
            oom.event = job.rows.back().events - 1;
            oom.time = *job.rows.back().last_time - Duration{8000};
            oom.requested = {64 * kMiB.value};
            oom.device_free = Bytes{16 * kMiB.value};
            job.rows.back().oom = oom;
            job.rows.back().reason = "oom";
            job.rows.back().failure = "OutOfMemoryError: CUDA out of memory";
        }
    }
    const std::size_t last = ranks - 1;
    job.world_size = ranks;
    job.median = 0;
    job.first = job::FirstToFail{last, true, {}, {}, {}, false};
    job.outliers = {{last,
                     0,
                     {264 * kMiB.value},
                     label::Bucket::activation,
                     {200 * kMiB.value},
                     "Its sequences are 3× as long."},
                    {1, 0, {20 * kMiB.value}, label::Bucket::activation, {20 * kMiB.value}, ""}};
    const std::string name = "Rank " + std::to_string(last);
    job.sentences = {{job::Says::failure, name + " ran out first.", last},
                     {job::Says::outlier, "Its activations are 3 × the other ranks'.", last},
                     {job::Says::equal, "Parameters are equal on all ranks.", {}}};
    job.notes = {"Rank 0 was recorded twice; the newer dump is shown."};
    return job;
}

inline std::shared_ptr<const job::Job> sharedJob(std::uint32_t ranks, std::size_t points = 8)
{
    return std::make_shared<const job::Job>(madeJob(ranks, points));
}

} // namespace tidemark::test
