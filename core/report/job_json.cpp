// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/job_report.h"
#include "core/report/json_parts.h"

#include <string_view>

namespace tidemark::report {
namespace {

using job::Job;
using job::RankSummary;

Json textOrNothing(const std::string& text)
{
    return text.empty() ? Json(nullptr) : Json(text);
}

Json timeOrNothing(const std::optional<TimePoint>& time)
{
    return time ? Json(microseconds(*time)) : Json(nullptr);
}

Json durationOrNothing(const std::optional<Duration>& duration)
{
    return duration ? Json(duration->count()) : Json(nullptr);
}

Json rankRowJson(const RankSummary& row)
{
    Json coordinates = Json::object();
    for (const auto& [axis, number] : row.coordinates) {
        coordinates[axis] = number;
    }
    const bool is_read = row.isRead();
    const bool has_failed = row.hasFailed();
    const auto figure = [&](std::int64_t value) { return is_read ? Json(value) : Json(nullptr); };
    return {{"file", row.file},
            {"rank", orNull(row.rank)},
            {"moment", textOrNothing(row.moment.text())},
            {"coordinates", std::move(coordinates)},
            {"host", textOrNothing(row.host)},
            {"device", row.device},
            {"card", textOrNothing(row.card)},
            {"peak_requested_bytes", figure(row.peak.value)},
            {"reserved_bytes", figure(row.reserved.value)},
            {"capacity_bytes", orNull(row.capacity)},
            {"oom", has_failed},
            {"oom_time_us", has_failed ? timeOrNothing(row.oom->time) : Json(nullptr)},
            {"oom_requested_bytes", has_failed ? Json(row.oom->requested.value) : Json(nullptr)},
            {"caught_oom", row.oom.has_value() && !has_failed},
            {"wanted_bytes", figure(row.wanted().value)},
            {"phase", textOrNothing(row.decisive_phase)},
            {"step", figure(row.decisive_step)},
            {"buckets", is_read ? bucketsJson(row.decisive) : Json::object()},
            {"error", textOrNothing(row.error)}};
}

std::string_view idOf(job::Says says)
{
    switch (says) {
    case job::Says::failure:
        return "failure";
    case job::Says::outlier:
        return "outlier";
    case job::Says::growth:
        return "growth";
    case job::Says::pipeline:
        return "pipeline";
    case job::Says::equal:
        return "equal";
    case job::Says::sharding:
        return "sharding";
    case job::Says::card:
        return "card";
    case job::Says::fix:
        break;
    }
    return "fix";
}

Json firstJson(const Job& job)
{
    if (!job.first) {
        return nullptr;
    }
    const job::FirstToFail& first = *job.first;
    Json others = Json::array();
    Json files = Json::array(); // A rank may have coordinates and no number.
    for (const std::size_t other : first.others) {
        others.push_back(orNull(job.rows[other].rank));
        files.push_back(job.rows[other].file);
    }
    return {{"rank", orNull(job.rows[first.row].rank)},
            {"file", job.rows[first.row].file},
            {"certain", first.certain},
            {"lead_us", durationOrNothing(first.lead)},
            {"span_us", durationOrNothing(first.span)},
            {"same_request", first.same_request},
            {"others", std::move(others)},
            {"other_files", std::move(files)}};
}

/// `delta_bytes` is that of the bucket it stands beside.
Json outlierJson(const Job& job, const job::Outlier& outlier)
{
    const RankSummary& against = job.rows[outlier.against];
    return {{"rank", orNull(job.rows[outlier.row].rank)},
            {"file", job.rows[outlier.row].file},
            {"bucket", label::bucketId(outlier.bucket)},
            {"delta_bytes", outlier.bucket_delta.value},
            {"whole_delta_bytes", outlier.delta.value},
            {"against_rank", orNull(against.rank)},
            {"against_file", against.file},
            {"because", textOrNothing(outlier.because)}};
}

} // namespace

Json jobJson(const Job& job)
{
    Json ranks = Json::array();
    for (const RankSummary& row : job.rows) {
        ranks.push_back(rankRowJson(row));
    }
    Json outliers = Json::array();
    for (const job::Outlier& outlier : job.outliers) {
        outliers.push_back(outlierJson(job, outlier));
    }
    Json equal = Json::array();
    for (const label::Bucket bucket : job.equal) {
        equal.push_back(label::bucketId(bucket));
    }
    Json sentences = Json::array();
    for (const job::Sentence& sentence : job.sentences) {
        sentences.push_back(
            {{"says", idOf(sentence.says)},
             {"text", sentence.text},
             {"rank", sentence.row ? orNull(job.rows[*sentence.row].rank) : Json(nullptr)}});
    }
    return {{"sentence", job.sentences.empty() ? std::string() : job.sentences.front().text},
            {"sentences", std::move(sentences)},
            {"ranks", std::move(ranks)},
            {"world_size", orNull(job.world_size)},
            {"missing_ranks", job.missing},
            {"first_to_fail", firstJson(job)},
            {"median_rank", job.median ? orNull(job.rows[*job.median].rank) : Json(nullptr)},
            {"outliers", std::move(outliers)},
            {"equal", std::move(equal)},
            {"notes", job.notes}};
}

} // namespace tidemark::report
