// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/job/judge_parts.h"

#include <algorithm>

namespace tidemark::job {
namespace {

using Rows = std::vector<std::size_t>;

template <class Where>
Rows rowsWhere(const Rows& rows, const Where& where)
{
    Rows found;
    std::ranges::copy_if(rows, std::back_inserter(found), where);
    return found;
}

void addMissing(Job& job)
{
    if (job.missing.empty()) {
        return;
    }
    const std::string numbers = numbersText(job.missing);
    job.notes.push_back(sayCounted(static_cast<std::int64_t>(job.missing.size()),
                                   "Rank {} has no dump.", "Ranks {} have no dump.", numbers));
    if (job.ranOut()) {
        job.notes.push_back(say("A rank without a dump may have failed earlier."));
    }
}

/// Files that claim to be one rank at one moment.
void addDoubled(Job& job)
{
    for (std::size_t i = 1; i < job.rows.size(); ++i) {
        const RankSummary& one = job.rows[i - 1];
        const RankSummary& other = job.rows[i];
        if (one.rank && one.rank == other.rank && one.moment == other.moment
            && one.device == other.device && one.file != other.file && one.isRead()
            && other.isRead() && one.coordinates == other.coordinates) {
            job.notes.push_back(
                say("Rank {} has two dumps of one moment, {} and {}: the later counts.", *one.rank,
                    one.file, other.file));
        }
    }
}

void addBroken(Job& job)
{
    Rows broken;
    for (std::size_t i = 0; i < job.rows.size(); ++i) {
        if (!job.rows[i].isRead()) {
            broken.push_back(i);
        }
    }
    if (!broken.empty()) {
        const RankSummary& first = job.rows[broken.front()];
        const auto count = static_cast<std::int64_t>(broken.size());
        job.notes.push_back(sayCounted(count, "{} dump could not be read, {}: {}",
                                       "{} dumps could not be read, the first is {}: {}", count,
                                       first.file, first.error));
    }
    const bool is_rank_unread = std::ranges::any_of(
        job.deciding, [&job](std::size_t row) { return !job.rows[row].isRead(); });
    if (is_rank_unread && job.ranOut()) {
        job.notes.push_back(say("A rank whose dump could not be read may have failed earlier."));
    }
}

void addCutOff(Job& job)
{
    const Rows cut =
        rowsWhere(job.deciding, [&job](std::size_t row) { return job.rows[row].is_cut_off; });
    if (!cut.empty()) {
        job.notes.push_back(say("{}: the file is truncated and not compared; copy it again.",
                                rankNamesFirst(job, cut)));
    }
}

/// A rank that died has the first steps of the others. A recording that lost its beginning says
/// nothing about how many there were.
void addStopped(Job& job, const Rows& rows)
{
    const auto stepsOf = [&job](std::size_t row) { return job.rows[row].steps; };
    const std::uint32_t most = rows.empty() ? 0 : stepsOf(std::ranges::max(rows, {}, stepsOf));
    const Rows stopped = rowsWhere(
        rows, [&](std::size_t row) { return stepsOf(row) < most && !job.rows[row].starts_in_use; });
    for (const std::size_t row : stopped) {
        if (2 * stopped.size() <= rows.size() && stopped.size() <= 3) {
            job.notes.push_back(say("{} stopped after step {}, others after step {}.",
                                    rankNameFirst(job.rows[row]), stepsOf(row), most));
        }
    }
    if (2 * stopped.size() > rows.size() || stopped.size() > 3) {
        job.notes.push_back(say(
            "{} completed fewer steps than the others' {}: they stopped or were dumped earlier.",
            rankNamesFirst(job, stopped), most));
    }
}

/// A request that failed, and the program went on.
void addCaught(Job& job, const Rows& rows)
{
    const Rows caught = rowsWhere(rows, [&job](std::size_t row) {
        return job.rows[row].oom.has_value() && !job.rows[row].hasFailed();
    });
    if (!caught.empty()) {
        job.notes.push_back(
            sayCounted(static_cast<std::int64_t>(caught.size()),
                       "{} ran out of memory and continued: not counted as a failure.",
                       "{} ran out of memory and continued: not counted as failures.",
                       rankNamesFirst(job, caught)));
    }
}

} // namespace

void addNotes(Job& job)
{
    addMissing(job);
    addDoubled(job);
    addBroken(job);
    addCutOff(job);
    const Rows rows = readRows(job);
    addStopped(job, rows);
    addCaught(job, rows);
    const auto isWhole = [&job](std::size_t row) { return job.rows[row].has_segments; };
    const Rows without = rowsWhere(rows, [&](std::size_t row) { return !isWhole(row); });
    if (!without.empty()) {
        job.notes.push_back(
            say("{}: no segments were recorded, so totals lack earlier allocations.",
                rankNamesFirst(job, without)));
    }
    const Rows in_use = rowsWhere(
        rows, [&](std::size_t row) { return isWhole(row) && job.rows[row].starts_in_use; });
    if (!in_use.empty()) {
        job.notes.push_back(
            say("{}: memory was in use before the recording; earlier peaks aren't visible.",
                rankNamesFirst(job, in_use)));
    }
    const Rows nameless =
        rowsWhere(rows, [&job](std::size_t row) { return !job.rows[row].rank.has_value(); });
    if (!nameless.empty()) {
        const auto count = static_cast<std::int64_t>(nameless.size());
        job.notes.push_back(
            sayCounted(count, "{} dump has no rank.", "{} dumps have no rank.", count));
    }
}

} // namespace tidemark::job
