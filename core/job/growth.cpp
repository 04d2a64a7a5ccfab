// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/job/judge_parts.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>

namespace tidemark::job {
namespace {

using label::Bucket;

/// Fewer bytes from dump to dump are no leak that anybody looks for.
constexpr std::int64_t kLeastRise = kMiB.value / 4;
/// What keeps rising rises about evenly: the last time as much as half of the mean.
constexpr double kEvenly = 0.5;
/// Ranks that are named alone.
constexpr std::size_t kMostNamed = 3;

/// What rises at one kind of moment of one rank.
struct Rise {
    std::size_t first = 0; ///< Rows.
    std::size_t last = 0;
    std::size_t dumps = 0;
    Bucket bucket = Bucket::unknown;
    std::int64_t bytes = 0; ///< From dump to dump; where dumps know their step, per step.
    bool is_per_step = false;
};

/// "cycle rollout" of "cycle3 rollout": moments of the same words are comparable.
std::string wordsWithoutNumbers(const std::string& words)
{
    std::string kept;
    std::ranges::copy_if(words, std::back_inserter(kept),
                         [](unsigned char c) { return std::isdigit(c) == 0; });
    return kept;
}

/// "cycle" of "cycle3 rollout": what stands before the number that counts.
std::string counterOf(const std::string& words)
{
    const auto digit =
        std::ranges::find_if(words, [](unsigned char c) { return std::isdigit(c) != 0; });
    auto begin = digit;
    while (begin != words.begin() && std::isalpha(static_cast<unsigned char>(*(begin - 1))) != 0) {
        --begin;
    }
    return digit == words.end() ? std::string() : std::string(begin, digit);
}

/// Whether something rises from each dump to the next and does not come to an end.
template <class At>
bool keepsRising(std::size_t count, const At& at)
{
    for (std::size_t i = 1; i < count; ++i) {
        if (at(i) <= at(i - 1)) {
            return false;
        }
    }
    const auto all = static_cast<double>(at(count - 1) - at(0));
    const auto last = static_cast<double>(at(count - 1) - at(count - 2));
    return last * static_cast<double>(count - 1) >= kEvenly * all;
}

/// The bucket that rises from each dump to the next, the one that rises most; not more than all of
/// them together, since what is made once is another thing to a dump that sees it come again.
std::optional<Rise> riseOf(const Job& job, const std::vector<std::size_t>& rows)
{
    const auto total = [&](std::size_t i) { return label::totalOf(job.rows[rows[i]].at_end); };
    if (rows.size() < 2 || !keepsRising(rows.size(), total)) {
        return std::nullopt;
    }
    std::optional<Rise> most;
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        const auto at = [&](std::size_t i) { return job.rows[rows[i]].at_end[b]; };
        const std::int64_t all = at(rows.size() - 1) - at(0);
        if (keepsRising(rows.size(), at) && (!most || all > most->bytes)) {
            most = Rise{rows.front(), rows.back(), rows.size(), label::bucketAt(b), all, false};
        }
    }
    if (most) {
        const auto& from = job.rows[most->first].moment.step;
        const auto& to = job.rows[most->last].moment.step;
        most->is_per_step = from && to && *to > *from;
        most->bytes = std::min(most->bytes, total(rows.size() - 1) - total(0));
        most->bytes /= most->is_per_step ? *to - *from : static_cast<std::int64_t>(most->dumps) - 1;
    }
    return most && most->bytes >= kLeastRise ? most : std::nullopt;
}

/// What rises from dump to dump of one rank, seen in most dumps; then what rises most.
std::optional<Rise> riseOfRank(const Job& job, std::size_t begin, std::size_t end)
{
    std::map<std::pair<std::string, std::int32_t>, std::vector<std::size_t>> kinds;
    for (std::size_t i = begin; i < end; ++i) {
        const RankSummary& row = job.rows[i];
        // At a failure other things are alive than between two steps.
        if (row.isRead() && row.moment.kind == DumpKind::periodic && !row.oom) {
            kinds[{wordsWithoutNumbers(row.moment.words), row.device}].push_back(i);
        }
    }
    std::optional<Rise> most;
    for (const auto& [kind, rows] : kinds) {
        const std::optional<Rise> rise = riseOf(job, rows);
        if (rise
            && (!most
                || std::pair(rise->dumps, rise->bytes) > std::pair(most->dumps, most->bytes))) {
            most = rise;
        }
    }
    return most;
}

/// The place whose bytes in that bucket rise most.
std::string placeOf(const Job& job, const Rise& rise)
{
    std::map<std::pair<std::string, std::string>, std::int64_t> rises;
    const auto add = [&](std::size_t row, std::int64_t sign) {
        for (const PlaceBytes& place : job.rows[row].places) {
            if (place.bucket == rise.bucket && !place.line.empty()) {
                rises[{place.line, place.operation}] += sign * place.bytes.value;
            }
        }
    };
    add(rise.last, 1);
    add(rise.first, -1);
    const auto most = std::ranges::max_element(rises, {}, [](const auto& e) { return e.second; });
    return most == rises.end() || most->second <= 0 ? std::string() : most->first.first;
}

std::string sentenceOf(const Job& job, const Rise& rise, const std::string& who)
{
    const std::string words = counterOf(job.rows[rise.last].moment.words);
    const std::string per = rise.is_per_step ? say("from step to step")
        : words.empty()                      ? say("from dump to dump")
                                             : say("from {} to {}", words, words);
    const std::string_view bucket = label::bucketName(rise.bucket);
    const Bytes bytes{rise.bytes};
    const std::string line = placeOf(job, rise);
    const bool is_one = rise.bucket == Bucket::optimizer_state || rise.bucket == Bucket::kv_cache
        || rise.bucket == Bucket::communication || rise.bucket == Bucket::unknown;
    const std::string what = is_one ? say("{} grows by {} {} on {}", bucket, bytes, per, who)
                                    : say("{} grow by {} {} on {}", bucket, bytes, per, who);
    return line.empty() ? what + '.' : say("{}, at {}.", what, line);
}

bool growAlike(const Rise& a, const Rise& b)
{
    return a.bucket == b.bucket && areEqual(a.bytes, b.bytes, kDiffers);
}

} // namespace

void addGrowth(Job& job)
{
    const std::vector<Interval<std::size_t>> rows = rowsOfRanks(job);
    const std::size_t ranks = rows.size();
    std::vector<Rise> rises;
    for (const Interval<std::size_t>& rank : rows) {
        if (const std::optional<Rise> rise = riseOfRank(job, rank.begin, rank.end)) {
            rises.push_back(*rise);
        }
    }
    std::ranges::stable_sort(rises, std::greater<>(), &Rise::bytes);
    std::size_t named = 0;
    while (!rises.empty() && named < kMostNamed) {
        std::vector<std::size_t> alike;
        const Rise one = rises.front();
        std::erase_if(rises, [&](const Rise& rise) {
            const bool is_alike = growAlike(one, rise);
            if (is_alike) {
                alike.push_back(rise.last);
            }
            return is_alike;
        });
        // Between two dumps much is made that stays, as an optimizer's state; what one rank alone
        // makes, or what comes again, is growth.
        const bool is_on_all = alike.size() == ranks;
        if (one.dumps < 3 && (is_on_all || 2 * alike.size() > ranks)) {
            continue;
        }
        const std::string who = is_on_all && ranks > 1 ? say("every rank") : rankNames(job, alike);
        job.sentences.push_back({Says::growth, sentenceOf(job, one, who), alike.front()});
        ++named;
    }
}

} // namespace tidemark::job
