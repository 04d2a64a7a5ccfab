// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/job/judge_parts.h"

#include <algorithm>
#include <chrono>

namespace tidemark::job {
namespace {

using namespace std::chrono_literals;

/// Whether two ranks asked at one point of their program.
bool askedInOnePlace(const RankSummary& a, const RankSummary& b)
{
    return a.oom->requested == b.oom->requested && a.oom->phase == b.oom->phase
        && a.oom->step == b.oom->step;
}

/// GPUs that one machine has, as a rule: of more ranks, that name no machine, some are elsewhere.
constexpr std::size_t kOneMachine = 8;

/// Times of one machine have one clock; those of machines that are not named may have one, of as
/// many ranks as a machine has GPUs.
bool mayShareClock(const RankSummary& a, const RankSummary& b, std::size_t ranks)
{
    const bool are_named = !a.host.empty() && !b.host.empty();
    return are_named ? a.host == b.host : ranks <= kOneMachine;
}

} // namespace

void findFirstToFail(Job& job)
{
    std::vector<std::size_t> failed;
    std::ranges::copy_if(job.deciding, std::back_inserter(failed),
                         [&job](std::size_t row) { return job.rows[row].hasFailed(); });
    const auto timeOf = [&job](std::size_t row) { return job.rows[row].oom->time; };
    if (failed.empty()) {
        return;
    }
    if (failed.size() > 1
        && !std::ranges::all_of(failed, [&](auto r) { return timeOf(r).has_value(); })) {
        job.notes.push_back(
            say("{} ranks ran out of memory; which was first is unknown: not all dumps have times.",
                failed.size()));
        return;
    }
    std::ranges::stable_sort(failed, {}, timeOf);
    FirstToFail first;
    first.row = failed.front();
    first.others.assign(failed.begin() + 1, failed.end());
    if (!first.others.empty()) {
        const RankSummary& one = job.rows[first.row];
        const RankSummary& next = job.rows[first.others.front()];
        first.lead = *timeOf(first.others.front()) - *timeOf(first.row);
        first.span = *timeOf(failed.back()) - *timeOf(first.row);
        first.same_request = std::ranges::all_of(failed, [&](std::size_t row) {
            return job.rows[row].oom->requested == one.oom->requested;
        });
        first.certain = *first.lead >= kInStep
            || (*first.lead > 0ms && !askedInOnePlace(one, next)
                && mayShareClock(one, next, rankCount(job)));
    }
    job.first = std::move(first);
}

} // namespace tidemark::job
