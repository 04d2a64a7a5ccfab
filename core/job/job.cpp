// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/job.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/job/judge_parts.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tidemark::job {
namespace {

/// No job has as many ranks: what looks like one counts something else.
constexpr std::uint32_t kMostRanks = 1U << 20;
/// Of a world whose size no file states, so many ranks at most for each that has a dump: a number
/// far above the others says little of how many there are, for it may count something else.
constexpr std::uint32_t kMostPerDump = 1U << 10;
/// A rank whose recording begins so long after its dump at an OOM went on, or was started again:
/// what a process writes as it ends follows at once.
constexpr Duration kAnew = std::chrono::minutes(1);
/// Ranks of one run are recorded at one time; those that wait for one that failed end with it.
constexpr Duration kOtherRun = std::chrono::hours(1);

/// By rank, moment and device. Dumps of a rank are ordered by their times where all that were read
/// have one, else by what their names say; what could not be read comes after them.
void sortRows(std::vector<RankSummary>& rows)
{
    std::map<RankKey, std::size_t> number_of;
    for (const RankSummary& row : rows) {
        number_of.try_emplace(rankKey(row), 0);
    }
    std::size_t next = 0;
    for (auto& [who, number] : number_of) {
        number = next++;
    }
    std::vector<bool> has_times(next, true);
    std::unordered_map<std::string, TimePoint> ends; // A dump's devices have one moment.
    for (const RankSummary& row : rows) {
        if (row.isRead() && !row.last_time) {
            has_times[number_of.at(rankKey(row))] = false;
        } else if (row.last_time) {
            TimePoint& end = ends.try_emplace(row.file, *row.last_time).first->second;
            end = std::max(end, *row.last_time);
        }
    }
    struct Key {
        std::size_t who = 0;
        bool is_broken = false;
        TimePoint time;
        std::size_t row = 0;
    };
    std::vector<Key> keys(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t who = number_of.at(rankKey(rows[i]));
        keys[i] = {who, !rows[i].isRead(), {}, i};
        if (has_times[who] && rows[i].isRead()) {
            keys[i].time = ends.at(rows[i].file);
        }
    }
    std::ranges::sort(keys, [&rows](const Key& x, const Key& y) {
        const RankSummary& a = rows[x.row];
        const RankSummary& b = rows[y.row];
        return std::tie(x.who, x.is_broken, x.time, a.moment, a.file, a.device, x.row)
            < std::tie(y.who, y.is_broken, y.time, b.moment, b.file, b.device, y.row);
    });
    std::vector<RankSummary> sorted;
    sorted.reserve(rows.size());
    for (const Key& key : keys) {
        sorted.push_back(std::move(rows[key.row]));
    }
    rows = std::move(sorted);
}

/// Whether two dumps of one process end with one failure: the dump at its exit repeats it.
bool haveOneOom(const RankSummary& a, const RankSummary& b)
{
    return a.oom && b.oom && a.device == b.device && a.oom->time == b.oom->time
        && a.oom->requested == b.oom->requested;
}

bool wasRecordedAnew(const RankSummary& before, const RankSummary& after)
{
    return before.file != after.file && before.last_time && after.first_time
        && *after.first_time - *before.last_time >= kAnew;
}

/// Of the rows of one rank: a failure before all else but a later recording, the last one, in the
/// dump that was made at it; else what is on the device that holds most, at the last moment.
std::size_t decidingOf(const std::vector<RankSummary>& rows, std::size_t begin, std::size_t end)
{
    std::size_t last = begin;
    for (std::size_t i = begin; i < end; ++i) {
        if (!rows[i].isRead()) {
            continue;
        }
        const RankSummary& best = rows[last];
        const bool is_same_dump = best.file == rows[i].file;
        if (!best.isRead() || rows[i].hasFailed() > best.hasFailed()) {
            last = i;
        } else if (rows[i].hasFailed() < best.hasFailed()) {
            last = wasRecordedAnew(best, rows[i]) ? i : last;
        } else if (haveOneOom(best, rows[i])) {
            last = rows[i].moment.kind == DumpKind::oom && best.moment.kind != DumpKind::oom ? i
                                                                                             : last;
        } else if (!is_same_dump || rows[i].wanted() > best.wanted()) {
            last = i;
        }
    }
    return last;
}

/// Takes what was recorded long before the others out of the comparison: files of an earlier run
/// that were not removed. Of what has times the newest that are of one time stay.
void leaveEarlierRuns(Job& job)
{
    std::vector<std::size_t> timed;
    std::ranges::copy_if(job.deciding, std::back_inserter(timed), [&job](std::size_t row) {
        const RankSummary& one = job.rows[row];
        return one.isRead() && one.rank && one.first_time && one.last_time;
    });
    if (timed.empty()) {
        return;
    }
    const auto endOf = [&job](std::size_t row) { return *job.rows[row].last_time; };
    std::ranges::stable_sort(timed, std::greater<>(), endOf);
    TimePoint begin = *job.rows[timed.front()].first_time;
    auto kept = timed.begin();
    for (; kept != timed.end() && begin - endOf(*kept) < kOtherRun; ++kept) {
        begin = std::min(begin, *job.rows[*kept].first_time);
    }
    std::vector<std::size_t> earlier(kept, timed.end());
    if (earlier.empty()) {
        return;
    }
    const std::string before = formatDuration(begin - endOf(earlier.front()));
    std::ranges::sort(earlier);
    job.notes.push_back(
        sayCounted(static_cast<std::int64_t>(earlier.size()),
                   "{} was recorded {} before the others, maybe in an earlier run: not compared.",
                   "{} were recorded {} before the others, maybe in an earlier run: not compared.",
                   rankNamesFirst(job, earlier), before));
    std::erase_if(job.deciding,
                  [&](std::size_t row) { return std::ranges::binary_search(earlier, row); });
}

void findDeciding(Job& job)
{
    std::vector<std::size_t> anew;
    for (const Interval<std::size_t>& rank : rowsOfRanks(job)) {
        const std::size_t row = decidingOf(job.rows, rank.begin, rank.end);
        job.deciding.push_back(row);
        const auto begin = job.rows.begin() + static_cast<std::ptrdiff_t>(rank.begin);
        const auto end = job.rows.begin() + static_cast<std::ptrdiff_t>(rank.end);
        if (!job.rows[row].hasFailed()
            && std::any_of(begin, end, [](const RankSummary& one) { return one.hasFailed(); })) {
            anew.push_back(row);
        }
    }
    if (!anew.empty()) {
        job.notes.push_back(
            sayCounted(static_cast<std::int64_t>(anew.size()),
                       "{} ran out of memory in an older dump, maybe of an earlier run: its newer "
                       "dump counts.",
                       "{} ran out of memory in older dumps, maybe of an earlier run: their newer "
                       "dumps count.",
                       rankNamesFirst(job, anew)));
    }
    leaveEarlierRuns(job);
}

/// The world as files say it, else from its highest rank; none where they contradict each other, or
/// where the highest says too little. Whether ranks can be compared.
bool findWorld(Job& job)
{
    std::set<std::uint32_t> stated;
    std::set<std::uint32_t> ranks;
    for (const RankSummary& row : job.rows) {
        if (row.world_size) {
            stated.insert(*row.world_size);
        }
        if (row.rank) {
            ranks.insert(*row.rank);
        }
    }
    if (stated.size() > 1) {
        job.notes.push_back(say("Dumps of jobs of {} and {} ranks are mixed: listed, not compared.",
                                *stated.begin(), *stated.rbegin()));
        return false;
    }
    if (!stated.empty() && !ranks.empty() && *ranks.rbegin() >= *stated.begin()) {
        job.notes.push_back(say("Rank {} does not fit a job of {} ranks: listed, not compared.",
                                *ranks.rbegin(), *stated.begin()));
        return false;
    }
    if (!stated.empty()) {
        job.world_size = *stated.begin();
    } else if (!ranks.empty() && *ranks.rbegin() / kMostPerDump < ranks.size()) {
        job.world_size = *ranks.rbegin() + 1;
    } else if (!ranks.empty()) {
        job.notes.push_back(
            say("The highest rank is {}; how many ranks there are is unknown.", *ranks.rbegin()));
    }
    if (job.world_size && *job.world_size <= kMostRanks && !ranks.empty()) {
        for (std::uint32_t rank = 0; rank < *job.world_size; ++rank) {
            if (!ranks.contains(rank)) {
                job.missing.push_back(rank);
            }
        }
    }
    return true;
}

/// What is as large on every rank. A bucket that is empty everywhere says nothing.
void findEqual(Job& job)
{
    const std::vector<std::size_t> rows = readRows(job);
    if (rows.size() < 2) {
        return;
    }
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        const auto ofRow = [&](std::size_t row) { return job.rows[row].largest[b]; };
        const auto [least, most] = std::ranges::minmax(rows, {}, ofRow);
        if (ofRow(least) > 0 && areEqual(ofRow(least), ofRow(most))) {
            job.equal.push_back(label::bucketAt(b));
        }
    }
}

} // namespace

RankKey rankKey(const RankSummary& row)
{
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    if (row.rank) {
        return {*row.rank, {}, {}, {}};
    }
    return {kNone, row.coordinates, row.host, row.moment.isNone() ? row.file : std::string()};
}

bool areEqual(std::int64_t a, std::int64_t b, double share)
{
    return static_cast<double>(std::abs(a - b))
        <= share * static_cast<double>(std::max(std::abs(a), std::abs(b)));
}

std::vector<Interval<std::size_t>> rowsOfRanks(const Job& job)
{
    std::vector<Interval<std::size_t>> ranks;
    for (std::size_t row = 0; row < job.rows.size(); ++row) {
        if (row == 0 || rankKey(job.rows[row]) != rankKey(job.rows[row - 1])) {
            ranks.push_back({row, row});
        }
        ranks.back().end = row + 1;
    }
    return ranks;
}

std::vector<std::size_t> readRows(const Job& job)
{
    std::vector<std::size_t> rows;
    std::ranges::copy_if(job.deciding, std::back_inserter(rows), [&job](std::size_t row) {
        return job.rows[row].isRead() && !job.rows[row].is_cut_off;
    });
    return rows;
}

bool endsInFailure(const Job& job)
{
    return std::ranges::any_of(job.deciding,
                               [&job](std::size_t row) { return job.rows[row].hasFailed(); });
}

std::size_t rankCount(const Job& job)
{
    return std::max<std::size_t>(job.world_size.value_or(0), job.deciding.size());
}

bool knowsRanks(const Job& job)
{
    return job.world_size || std::ranges::none_of(job.rows, [](const RankSummary& row) {
               return row.rank.has_value();
           });
}

bool isWhole(const Job& job)
{
    return knowsRanks(job) && readRows(job).size() == rankCount(job);
}

bool Job::ranOut() const
{
    return std::ranges::any_of(rows, &RankSummary::hasFailed);
}

Job judge(std::vector<RankSummary> rows)
{
    Job job;
    job.rows = std::move(rows);
    sortRows(job.rows);
    findDeciding(job);
    const bool can_compare = findWorld(job);
    addNotes(job);
    if (!can_compare) {
        addPlainSentence(job);
        return job;
    }
    findFirstToFail(job);
    const Pipeline pipeline = findPipeline(job);
    findOutliers(job, pipeline);
    findEqual(job);
    addSentences(job, pipeline);
    addGrowth(job);
    addPlainSentence(job);
    return job;
}

} // namespace tidemark::job
