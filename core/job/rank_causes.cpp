// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/rank_causes.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/compare/place_texts.h"
#include "core/compare/sentences.h"
#include "core/job/judge_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

namespace tidemark::job {
namespace {

using compare::ChangeOf;
using compare::PlaceDifference;
using compare::RunChange;
using label::Bucket;

/// Of a difference: what explains less is not the reason.
constexpr double kExplains = 0.3;

bool explainsMuch(Bytes part, Bytes whole)
{
    return (part.value < 0) == (whole.value < 0)
        && static_cast<double>(std::abs(part.value))
        >= kExplains * static_cast<double>(std::abs(whole.value));
}

/// "3×", "1/4", to stand before "as long".
std::string times(double ratio)
{
    const double inverse = 1 / ratio;
    return ratio < 1 && std::abs(inverse - std::round(inverse)) < 0.01
        ? fmt::format("1/{:.0f}", inverse)
        : say("{:.3g}×", ratio);
}

std::string withDot(const std::string& words, const std::string& line)
{
    return line.empty() ? words + '.' : say("{}, at {}.", words, line);
}

std::string grown(std::string words, const std::string& from, const std::string& to)
{
    return from.empty() || from == to || from == say("not known") || to == say("not known")
        ? words
        : fmt::format("{} ({} → {})", words, from, to);
}

/// "Its sequences are 3× as long", for those of the changes that are dimensions.
std::string grownDimension(ChangeOf of, double ratio)
{
    return of == ChangeOf::sequence   ? say("Its sequences are {} as long", times(ratio))
        : of == ChangeOf::micro_batch ? say("Its micro-batches are {} as large", times(ratio))
                                      : say("Its batches have {} as many tokens", times(ratio));
}

std::string grownPlace(const std::string& line, double ratio, const std::string& what, Bytes more)
{
    return say("The allocations of {} are {} as large ({}: {} more).", line, times(ratio), what,
               more);
}

/// Whether no other rank holds anything of a bucket at one place.
bool isAlone(const Job& job, const Outlier& outlier, const std::string& line, Bucket bucket)
{
    const auto holds = [&](std::size_t row) {
        return std::ranges::any_of(job.rows[row].places, [&](const PlaceBytes& place) {
            return place.line == line && place.bucket == bucket;
        });
    };
    return !line.empty() && std::ranges::none_of(readRows(job), [&](std::size_t row) {
        return row != outlier.row && holds(row);
    });
}

/// "no other rank holds", "rank 1 does not hold": to stand behind "that".
std::string lackedBy(const Job& job, const Outlier& outlier, const std::string& line, Bucket bucket)
{
    return isAlone(job, outlier, line, bucket)
        ? say("no other rank has")
        : say("{} does not have", rankName(job.rows[outlier.against]));
}

std::string ownWeights(const Job& job, const Outlier& outlier, Bytes bytes, const std::string& line)
{
    const Bytes size{std::abs(bytes.value)};
    if (bytes.value < 0) {
        return say("It lacks {} of weights that {} has.", size,
                   rankName(job.rows[outlier.against]));
    }
    const std::string lacked = lackedBy(job, outlier, line, Bucket::parameter);
    const std::string made = line.empty() ? std::string() : say(", allocated at {}", line);
    return say("It keeps {} of weights that {}{}.", size, lacked, made);
}

/// One difference of a job, in the sentence of a rank: "It …".
class CauseWords {
public:
    CauseWords(const Job& job, const Outlier& outlier, const diagnose::Analysis& median,
               const diagnose::Analysis& odd, const compare::Difference& difference)
        : m_job(job)
        , m_outlier(outlier)
        , m_difference(difference)
        , m_texts(*median.snapshot, *odd.snapshot)
    {
    }

    [[nodiscard]] std::string words() const
    {
        const Bytes whole = m_difference.headline.delta();
        if (!explainsMuch(whole, m_outlier.delta)) {
            return {}; // What differs is the request that failed, which is in neither peak.
        }
        for (const RunChange& change : m_difference.parts.changes) {
            if (explainsMuch(change.explains, whole)) {
                return ofChange(change);
            }
        }
        const PlaceDifference* const most = largest(
            [&](const PlaceDifference& place) { return explainsMuch(place.delta(), whole); });
        return most == nullptr ? std::string() : ofPlace(*most);
    }

private:
    /// The place with the largest difference among some; null without any.
    template <class Where>
    [[nodiscard]] const PlaceDifference* largest(const Where& where) const
    {
        const PlaceDifference* most = nullptr;
        for (const PlaceDifference& place : m_difference.parts.places) {
            if (where(place)
                && (most == nullptr
                    || std::abs(place.delta().value) > std::abs(most->delta().value))) {
                most = &place;
            }
        }
        return most;
    }

    /// Where most of what a change explains is made.
    [[nodiscard]] std::string lineOf(ChangeOf of) const
    {
        const PlaceDifference* const most =
            largest([of](const PlaceDifference& place) { return place.change == of; });
        return most == nullptr ? std::string() : m_texts.where(*most);
    }

    [[nodiscard]] std::string ofChange(const RunChange& change) const
    {
        const std::string line = lineOf(change.of);
        const std::string other = rankName(m_job.rows[m_outlier.against]);
        const double ratio = change.ratio.value_or(1);
        switch (change.of) {
        case ChangeOf::sequence:
        case ChangeOf::micro_batch:
        case ChangeOf::rows:
            return withDot(grown(grownDimension(change.of, ratio), change.from, change.to), line);
        case ChangeOf::in_flight:
            return say("It has {} as many micro-batches in flight as {}.", times(ratio), other);
        case ChangeOf::model:
            return change.is_beside ? ownWeights(m_job, m_outlier, change.explains, line)
                                    : say("Its weights differ from those of {}: {}, not {}.", other,
                                          change.to, change.from);
        case ChangeOf::leak:
            if (change.explains.value < 0) {
                break;
            }
            return line.empty()
                ? say("It grows every step ({}).", change.to)
                : say("It grows every step ({}), allocated at {}.", change.to, line);
        case ChangeOf::precision:
        case ChangeOf::lora:
        case ChangeOf::optimizer:
        case ChangeOf::checkpointing:
        case ChangeOf::attention:
        case ChangeOf::accumulation:
        case ChangeOf::graph:
        case ChangeOf::phases:
        case ChangeOf::first_step:
        case ChangeOf::compile:
            break;
        }
        return say("It differs in {}: {}, and {} on {}.", compare::wordsOf(change.of), change.to,
                   change.from, other);
    }

    [[nodiscard]] std::string ofPlace(const PlaceDifference& place) const
    {
        const std::string line = m_texts.where(place);
        const std::string other = rankName(m_job.rows[m_outlier.against]);
        const std::string made = line.empty() ? std::string() : say(", allocated at {}", line);
        const bool is_more = place.delta().value > 0;
        const Bytes size{std::abs(place.delta().value)};
        // "logits" where the program tells it.
        const std::string what(place.what == program::TensorKind::unknown
                                   ? label::bucketName(place.bucket)
                                   : program::wordsOf(place.what));
        const std::int64_t count = place.count_b - place.count_a;
        if (!is_more) {
            return say("{} has {} more there ({}){}.", rankNameFirst(m_job.rows[m_outlier.against]),
                       size, what, made);
        }
        if (place.factor && !line.empty()) {
            return grownPlace(line, *place.factor, what, size);
        }
        const std::string each = place.is_one_size && count > 1
            ? say("{} × {}", count, Bytes{place.delta().value / count})
            : formatBytes(size);
        return place.became == compare::Became::lifetime
            ? say("It keeps {} ({}) that {} frees{}.", each, what, other, made)
            : say("It has {} ({}) that {}{}.", each, what,
                  lackedBy(m_job, m_outlier, line, place.bucket), made);
    }

    const Job& m_job;
    const Outlier& m_outlier;
    const compare::Difference& m_difference;
    compare::PlaceTexts m_texts;
};

using Place = std::tuple<std::string, std::string, Bucket>;

std::map<Place, std::int64_t> placesOf(const RankSummary& row)
{
    std::map<Place, std::int64_t> bytes;
    for (const PlaceBytes& place : row.places) {
        bytes[{place.line, place.operation, place.bucket}] += place.bytes.value;
    }
    return bytes;
}

/// Of dimensions that both state and that differ in the direction of the difference.
std::string causeOfDimensions(const Job& job, const Outlier& outlier)
{
    const auto& one = job.rows[outlier.row].dimensions;
    const auto& other = job.rows[outlier.against].dimensions;
    static constexpr std::array<std::pair<std::string_view, ChangeOf>, 3> kDimensions{
        {{"sequence", ChangeOf::sequence},
         {"batch", ChangeOf::micro_batch},
         {"tokens", ChangeOf::rows}}};
    for (const auto& [name, of] : kDimensions) {
        const auto here = one.find(std::string(name));
        const auto there = other.find(std::string(name));
        if (here == one.end() || there == other.end() || there->second <= 0 || here->second <= 0
            || here->second == there->second
            || (here->second > there->second) != (outlier.delta.value > 0)) {
            continue;
        }
        const double ratio = static_cast<double>(here->second) / static_cast<double>(there->second);
        return fmt::format("{} ({} → {}).", grownDimension(of, ratio), there->second, here->second);
    }
    return {};
}

std::string causeOfPlaces(const Job& job, const Outlier& outlier)
{
    const std::map<Place, std::int64_t> here = placesOf(job.rows[outlier.row]);
    const std::map<Place, std::int64_t> there = placesOf(job.rows[outlier.against]);
    const auto bytesAt = [](const std::map<Place, std::int64_t>& places, const Place& place) {
        const auto found = places.find(place);
        return found == places.end() ? 0 : found->second;
    };
    Place most;
    std::int64_t delta = 0;
    for (const auto* places : {&here, &there}) {
        for (const auto& [place, bytes] : *places) {
            const std::int64_t own = bytesAt(here, place) - bytesAt(there, place);
            if (!std::get<0>(place).empty() && std::abs(own) > std::abs(delta)
                && explainsMuch({own}, outlier.delta)) {
                most = place;
                delta = own;
            }
        }
    }
    if (delta == 0) {
        return {};
    }
    const auto& [line, operation, bucket] = most;
    const std::string what(label::bucketName(bucket));
    const Bytes size{std::abs(delta)};
    const std::int64_t before = bytesAt(there, most);
    if (delta < 0) {
        return say("{} has {} more there ({}){}.", rankNameFirst(job.rows[outlier.against]), size,
                   what, say(", allocated at {}", line));
    }
    return before == 0
        ? say("It has {} ({}) that {}{}.", size, what, lackedBy(job, outlier, line, bucket),
              say(", allocated at {}", line))
        : grownPlace(line, static_cast<double>(before + delta) / static_cast<double>(before), what,
                     size);
}

std::int64_t stateOf(const RankSummary& row)
{
    return row.largest[label::indexOf(Bucket::optimizer_state)];
}

/// A coordinate that tells that ranks share the tensors of a model.
bool isShared(const std::pair<const std::string, std::int64_t>& at)
{
    return at.first != "dp" && at.first != "ddp" && at.second > 0;
}

} // namespace

std::string causeOf(const Job& job, const Outlier& outlier, const diagnose::Analysis& median,
                    const diagnose::Analysis& odd, const compare::Difference& difference)
{
    return CauseWords(job, outlier, median, odd, difference).words();
}

std::string causeOfSummaries(const Job& job, const Outlier& outlier)
{
    std::string of_dimensions = causeOfDimensions(job, outlier);
    return of_dimensions.empty() ? causeOfPlaces(job, outlier) : of_dimensions;
}

bool mayBeReplicated(const Job& job)
{
    const std::vector<std::size_t> rows = readRows(job);
    return rows.size() > 1 && job.world_size && job.missing.empty()
        && std::ranges::find(job.equal, Bucket::optimizer_state) != job.equal.end()
        && std::ranges::none_of(rows, [&](std::size_t row) {
               const RankSummary& one = job.rows[row];
               return one.uses("zero-1") || std::ranges::any_of(one.coordinates, isShared);
           });
}

void addReplicated(Job& job, const diagnose::Analysis& analysis, std::size_t device)
{
    // DistributedDataParallel reduces what every rank holds whole; ranks that share a model's
    // tensors may hold as much state each.
    const auto& roles = analysis.labels->devices[device].role;
    const std::vector<std::size_t> rows = readRows(job);
    if (std::ranges::find(roles, label::Role::reduction_bucket) != roles.end()) {
        job.sentences.push_back(
            {Says::sharding,
             say("Every rank keeps the whole optimizer state, {}; FSDP or ZeRO-1 would keep 1/{} "
                 "of it.",
                 Bytes{stateOf(job.rows[rows.front()])}, *job.world_size),
             std::nullopt});
    }
}

} // namespace tidemark::job
