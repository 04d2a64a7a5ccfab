// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/job/judge_parts.h"
#include "core/message/log_findings.h"
#include "core/plan/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>

namespace tidemark::job {
namespace {

using label::Bucket;
using Rows = std::vector<std::size_t>;

/// Outliers that get a sentence; all are in the table.
constexpr std::size_t kMostOutliers = 3;
/// Of a card's memory: contexts, libraries and NCCL of all its processes take no more.
constexpr double kOutside = 0.1;
/// Of what a process reserves: free memory of a card that is full.
constexpr double kFull = 0.02;

void addSentence(Job& job, Says says, std::string text, std::optional<std::size_t> row = {})
{
    job.sentences.push_back({says, std::move(text), row});
}

std::string failedIn(const RankOom& oom)
{
    const std::string place = placeInRun(oom.phase, oom.stated_step.value_or(oom.step));
    return place.empty() ? std::string() : say(" in {}", place);
}

void addFailureOfOne(Job& job, const Rows& rows)
{
    const RankSummary& row = job.rows[job.first->row];
    const std::string others = rows.size() > 1 && isWhole(job) && job.first->others.empty()
        ? say("Only {} ran out of memory{}", rankName(row), failedIn(*row.oom))
        : !job.first->others.empty()
        ? say("{} ran out of memory first{}, {} before {}", rankNameFirst(row), failedIn(*row.oom),
              formatDuration(*job.first->lead), rankName(job.rows[job.first->others.front()]))
        : say("{} ran out of memory{}", rankNameFirst(row), failedIn(*row.oom));
    addSentence(
        job, Says::failure,
        say("{}: it requested {} with {} in use.", others, row.oom->requested, row.oom->active),
        job.first->row);
}

/// Whether all that failed waited for each other: no pause between two failures.
bool failedInStep(const Job& job)
{
    TimePoint before = *job.rows[job.first->row].oom->time;
    for (const std::size_t row : job.first->others) {
        const TimePoint time = *job.rows[row].oom->time;
        if (time - before >= kInStep) {
            return false;
        }
        before = time;
    }
    return true;
}

void addFailureOfMany(Job& job)
{
    const FirstToFail& first = *job.first;
    const std::size_t failed = first.others.size() + 1;
    // One without a dump may be at fault.
    const bool is_all = knowsRanks(job) && failed == rankCount(job);
    const std::string span = formatDuration(*first.span);
    const std::string who = is_all ? say("All {} ranks", failed)
        : knowsRanks(job)          ? say("{} of {} ranks", failed, rankCount(job))
                                   : say("{} ranks", failed);
    const bool is_odd = !job.outliers.empty() && job.outliers.front().row == first.row;
    const Bytes requested = job.rows[first.row].oom->requested;
    const bool is_none_at_fault = is_all && !is_odd && failedInStep(job);
    if (is_none_at_fault && first.same_request) {
        addSentence(job, Says::failure,
                    say("{} ran out of memory within {}, each requesting {}: no rank is at fault.",
                        who, span, requested));
    } else if (is_none_at_fault) {
        addSentence(job, Says::failure,
                    say("{} ran out of memory within {}: no rank is at fault.", who, span));
    } else {
        addSentence(job, Says::failure,
                    say("{} ran out of memory within {}, {} first; the next followed {} later, too "
                        "close to trust their clocks.",
                        who, span, rankName(job.rows[first.row]), formatDuration(*first.lead)),
                    first.row);
    }
}

/// Ranks that lost a partner after another one had failed.
void addConsequences(Job& job, const Rows& rows)
{
    Rows lost;
    Rows others;
    for (const std::size_t row : rows) {
        const RankSummary& one = job.rows[row];
        if (one.hasFailed() || one.failure.empty()) {
            continue;
        }
        const auto events = diagnose::readLog(one.failure).events;
        const bool is_lost = std::ranges::any_of(events, [](const diagnose::LogEvent& event) {
            return event.kind == diagnose::LogEventKind::collective;
        });
        (is_lost ? lost : others).push_back(row);
    }
    for (std::size_t i = 0; i < others.size() && i < kMostOutliers; ++i) {
        const RankSummary& row = job.rows[others[i]];
        addSentence(job, Says::failure,
                    say("{} failed with its own error: {}", rankNameFirst(row), row.failure),
                    others[i]);
    }
    if (!lost.empty()) {
        const std::string names = rankNamesFirst(job, lost);
        addSentence(job, Says::failure,
                    endsInFailure(job)
                        ? sayCounted(static_cast<std::int64_t>(lost.size()),
                                     "{} lost its connection: a consequence.",
                                     "{} lost their connections: a consequence.", names)
                        : sayCounted(static_cast<std::int64_t>(lost.size()),
                                     "{} lost its connection to another rank.",
                                     "{} lost their connections to other ranks.", names),
                    lost.front());
    }
}

/// The ranks that failed, where which of them was first is not known; nothing where none did.
void addRanOut(Job& job)
{
    Rows failed;
    std::ranges::copy_if(job.deciding, std::back_inserter(failed),
                         [&job](std::size_t row) { return job.rows[row].hasFailed(); });
    if (!failed.empty()) {
        addSentence(job, Says::failure, say("{} ran out of memory.", rankNamesFirst(job, failed)),
                    failed.size() == 1 ? std::optional(failed.front()) : std::nullopt);
    }
}

void addFailure(Job& job, const Rows& rows)
{
    if (job.first && (job.first->others.empty() || job.first->certain)) {
        addFailureOfOne(job, rows);
    } else if (job.first) {
        addFailureOfMany(job);
    } else {
        addRanOut(job);
    }
    addConsequences(job, rows);
}

void addOutliers(Job& job)
{
    for (std::size_t i = 0; i < job.outliers.size() && i < kMostOutliers; ++i) {
        const Outlier& outlier = job.outliers[i];
        const OneUnit unit{outlier.delta, outlier.bucket_delta};
        const std::string bytes = unit({std::abs(outlier.delta.value)});
        const std::string who = rankNameFirst(job.rows[outlier.row]);
        const std::string whom = rankName(job.rows[outlier.against]);
        const std::string text = outlier.delta.value > 0
            ? say("{} needs {} more than {}", who, bytes, whom)
            : say("{} needs {} less than {}", who, bytes, whom);
        const std::string part = unit.difference(outlier.bucket_delta);
        addSentence(job, Says::outlier,
                    outlier.bucket_delta.value == 0 ? text + '.'
                                                    : say("{} (peak of {}: {}).", text,
                                                          label::bucketName(outlier.bucket), part),
                    outlier.row);
    }
    if (job.outliers.size() > kMostOutliers) {
        const auto more = static_cast<std::int64_t>(job.outliers.size() - kMostOutliers);
        addSentence(job, Says::outlier,
                    sayCounted(more, "{} more rank differs.", "{} more ranks differ.", more));
    }
}

/// What is said where no rank ran out and none is the odd one.
void addRange(Job& job, const Rows& rows)
{
    const auto wanted = [&job](std::size_t row) { return job.rows[row].wanted(); };
    const auto [least, most] = std::ranges::minmax(rows, {}, wanted);
    if (areEqual(wanted(least).value, wanted(most).value, kDiffers)) {
        addSentence(job, Says::equal,
                    say("No rank differs: all {} peak at {}.", rows.size(), wanted(most)));
    } else {
        addSentence(job, Says::equal,
                    say("The {} ranks peak between {} ({}) and {} ({}); none is an outlier.",
                        rows.size(), wanted(least), rankName(job.rows[least]), wanted(most),
                        rankName(job.rows[most])));
    }
}

/// Ranks that failed with nothing free on a card of which each had a part only.
///
///     4 ranks · 34 GiB reserved + a few MiB free, on a card of 140 GiB
///
/// Where the file names no card, any that has room for all of them and for their contexts will do,
/// if none is as small as what one of them could have got.
void addCard(Job& job, const Rows& rows)
{
    std::map<std::string, Rows> by_host;
    for (const std::size_t row : rows) {
        const RankSummary& one = job.rows[row];
        if (one.hasFailed() && one.oom->device_free
            && static_cast<double>(one.oom->device_free->value)
                <= kFull * static_cast<double>(one.oom->reserved.value)) {
            by_host[one.host].push_back(row);
        }
    }
    const auto holds = [](Bytes reserved, Bytes card) {
        return reserved <= card
            && static_cast<double>(reserved.value)
            >= (1 - kOutside) * static_cast<double>(card.value);
    };
    for (const auto& [host, ranks] : by_host) {
        Bytes together;
        Bytes most;
        for (const std::size_t row : ranks) {
            together += job.rows[row].oom->reserved;
            most = std::max(most, job.rows[row].oom->reserved);
        }
        const plan::KnownCard* const named = plan::findCard(job.rows[ranks.front()].card);
        bool fits_one = named != nullptr && holds(most, named->total);
        const plan::KnownCard* shared =
            named != nullptr && holds(together, named->total) ? named : nullptr;
        for (const plan::KnownCard& card : plan::knownCards()) {
            fits_one = fits_one || (named == nullptr && holds(most, card.total));
            if (named == nullptr && shared == nullptr && holds(together, card.total)) {
                shared = &card;
            }
        }
        if (ranks.size() < 2 || fits_one || shared == nullptr) {
            continue;
        }
        const std::string who = rankNamesFirst(job, ranks);
        const Bytes each = most;
        const Bytes sum = together;
        addSentence(
            job, Says::card,
            named != nullptr
                ? say("{} share one GPU: it was full with at most {} per rank, {} of {} in total.",
                      who, each, sum, shared->total)
                : say(
                    "{} seem to share one GPU: it was full with at most {} per rank, {} in total.",
                    who, each, sum),
            ranks.front());
    }
}

void addPipeline(Job& job, const Pipeline& pipeline)
{
    if (pipeline.is_one) {
        addSentence(
            job, Says::pipeline,
            pipeline.falls ? say(
                "Each stage has fewer micro-batches in flight than the one before: by design.")
                           : say("Pipeline stages have different weights: by design."));
    }
}

/// Where the frames of all ranks show it: FSDP, ZeRO or a distributed optimizer.
void addSharded(Job& job, const Rows& rows)
{
    const bool is_sharded =
        std::ranges::all_of(rows, [&](std::size_t row) { return job.rows[row].uses("zero-1"); });
    const bool is_equal = std::ranges::find(job.equal, Bucket::optimizer_state) != job.equal.end();
    if (is_sharded && is_equal) {
        const std::size_t state = label::indexOf(Bucket::optimizer_state);
        addSentence(job, Says::sharding,
                    say("The optimizer state is sharded: every rank keeps its part, {}.",
                        Bytes{job.rows[rows.front()].largest[state]}));
    }
}

void addEqual(Job& job)
{
    std::vector<std::string_view> names;
    std::ranges::transform(job.equal, std::back_inserter(names), label::bucketName);
    if (!names.empty()) {
        addSentence(job, Says::equal, say("Equal on all ranks: {}.", fmt::join(names, ", ")));
    }
}

} // namespace

void addSentences(Job& job, const Pipeline& pipeline)
{
    const Rows rows = readRows(job);
    addFailure(job, rows);
    addOutliers(job);
    if (job.outliers.empty() && !endsInFailure(job) && rows.size() > 1) {
        addRange(job, rows);
    }
    addCard(job, rows);
    addPipeline(job, pipeline);
    addSharded(job, rows);
    addEqual(job);
}

void addPlainSentence(Job& job)
{
    if (!job.sentences.empty() || job.rows.empty()) {
        return;
    }
    addRanOut(job);
    if (!job.sentences.empty()) {
        return;
    }
    Rows read;
    std::ranges::copy_if(job.deciding, std::back_inserter(read),
                         [&job](std::size_t row) { return job.rows[row].isRead(); });
    if (read.empty()) {
        addSentence(job, Says::failure, say("No dump could be read."));
    } else if (read.size() == 1) {
        const RankSummary& row = job.rows[read.front()];
        addSentence(job, Says::equal, say("{} peaks at {}.", rankNameFirst(row), row.peak),
                    read.front());
    } else {
        addSentence(job, Says::equal, say("None of the {} ranks ran out of memory.", read.size()));
    }
}

} // namespace tidemark::job
