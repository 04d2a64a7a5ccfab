// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/remote/far_side.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::remote {

/// What a dump's name says of its process: "run.rank3-of-8.oom.pickle" is rank 3 of
/// "run.rank*-of-8.oom.pickle".
struct RankName {
    std::string job; ///< The name with a star for the number.
    std::uint32_t rank = 0;
};

/// The word "rank" and a number behind it, as the capture module ("rank3-of-8"), torchtitan
/// ("rank3_memory_snapshot"), veRL and most loops of one's own write it. None: it says nothing, or
/// more than one number.
std::optional<RankName> rankInName(std::string_view name);

/// The ranks of one job among the dumps of a folder.
struct Job {
    std::string name; ///< RankName::job.
    std::vector<std::size_t> dumps; ///< Indices, by rank; two or more.
};

/// The job that the newest dump is of, which is the first one of `dumps`; none where it is of none.
/// O(dumps).
std::optional<Job> newestJob(const std::vector<FarFile>& dumps);

/// Ranks of one job by their number, those of others behind them; what says nothing stays in front,
/// in its order.
void sortByRank(std::vector<std::string>& names);

} // namespace tidemark::remote
