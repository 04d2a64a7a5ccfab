// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/job_files.h"

#include "core/base/ascii.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace tidemark::remote {
namespace {

constexpr std::string_view kWord = "rank";
constexpr std::size_t kMostDigits = 6;

/// Where the number behind the word at `at` begins: "rank3", "rank_3", "rank-3", "rank=3".
std::size_t numberBegin(std::string_view name, std::size_t at)
{
    const std::size_t begin = at + kWord.size();
    const bool has_sign =
        begin < name.size() && std::string_view("_-=").find(name[begin]) != std::string_view::npos;
    return begin + (has_sign ? 1 : 0);
}

} // namespace

std::optional<RankName> rankInName(std::string_view name)
{
    std::optional<RankName> found;
    for (std::size_t at = 0; at + kWord.size() < name.size(); ++at) {
        const bool is_word =
            lowered(name.substr(at, kWord.size())) == kWord && (at == 0 || !isLetter(name[at - 1]));
        const std::size_t begin = is_word ? numberBegin(name, at) : name.size();
        std::size_t end = begin;
        while (end < name.size() && isDigit(name[end])) {
            ++end;
        }
        if (end == begin || end - begin > kMostDigits) {
            continue;
        }
        if (found) {
            return std::nullopt;
        }
        found.emplace();
        std::from_chars(name.data() + begin, name.data() + end, found->rank);
        found->job.append(name.substr(0, begin)).append("*").append(name.substr(end));
    }
    return found;
}

void sortByRank(std::vector<std::string>& names)
{
    const auto key = [](const std::string& name) {
        const auto found = rankInName(name);
        return found ? std::pair(found->job, found->rank) : std::pair(std::string(), 0U);
    };
    std::ranges::stable_sort(names, {}, key);
}

std::optional<Job> newestJob(const std::vector<FarFile>& dumps)
{
    const auto newest = dumps.empty() ? std::nullopt : rankInName(dumps.front().name);
    if (!newest) {
        return std::nullopt;
    }
    std::map<std::uint32_t, std::size_t> ranks; // Of "rank3" and "rank03" the newer one.
    for (std::size_t i = 0; i < dumps.size(); ++i) {
        const auto rank = rankInName(dumps[i].name);
        if (rank && rank->job == newest->job) {
            ranks.emplace(rank->rank, i);
        }
    }
    Job job{newest->job, {}};
    for (const auto& [rank, index] : ranks) {
        job.dumps.push_back(index);
    }
    return job.dumps.size() < 2 ? std::nullopt : std::optional(job);
}

} // namespace tidemark::remote
