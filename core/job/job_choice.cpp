// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/job_choice.h"

#include "core/base/language.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tidemark::job {
namespace {

struct JobSeen {
    bool has_rank = false;
    std::int64_t time = 0;
    std::vector<std::size_t> dumps;
};

} // namespace

JobChoice chooseJob(std::span<const DumpName> names, std::span<const std::int64_t> times)
{
    std::map<std::string, JobSeen> jobs;
    for (std::size_t i = 0; i < names.size(); ++i) {
        JobSeen& job = jobs[names[i].group];
        job.has_rank = job.has_rank || names[i].rank;
        job.time = job.dumps.empty() ? times[i] : std::max(job.time, times[i]);
        job.dumps.push_back(i);
    }
    if (jobs.empty()) {
        return {};
    }
    const auto newest = std::ranges::max_element(jobs, {}, [](const auto& job) {
        return std::tuple(job.second.has_rank, job.second.time, job.second.dumps.size());
    });
    JobChoice choice{newest->first, std::move(newest->second.dumps), {}, jobs.size() - 1};
    std::ranges::stable_sort(choice.dumps, {}, [&](std::size_t i) {
        return std::tuple(!names[i].rank, names[i].rank.value_or(0), names[i].host,
                          names[i].moment);
    });
    std::map<std::uint32_t, std::size_t> last;
    for (const std::size_t i : choice.dumps) {
        if (names[i].rank) {
            const auto [at, is_new] = last.emplace(*names[i].rank, i);
            at->second = !is_new && times[i] < times[at->second] ? at->second : i;
        }
    }
    for (const auto& [rank, index] : last) {
        choice.last.push_back(index);
    }
    return choice;
}

std::string othersNote(const JobChoice& choice, const std::string& folder)
{
    return sayCounted(
        static_cast<std::int64_t>(choice.others), "Newest job of {0}: {1}; {2} other is skipped.",
        "Newest job of {0}: {1}; {2} others are skipped.", folder, choice.group, choice.others);
}

JobChoice newestRanks(std::span<const std::string> paths, std::span<const std::int64_t> times)
{
    if (paths.empty()) {
        return {};
    }
    const auto newest = static_cast<std::size_t>(std::ranges::max_element(times) - times.begin());
    JobChoice choice = chooseJob(nameDumps(paths), times);
    const bool is_of_it = std::ranges::find(choice.dumps, newest) != choice.dumps.end();
    return is_of_it && choice.last.size() > 1 ? choice : JobChoice{};
}

} // namespace tidemark::job
