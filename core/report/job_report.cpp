// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/job_report.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/report/job_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tidemark::report {
namespace {

using job::Job;
using job::RankSummary;

constexpr std::size_t kFewRanks = 8; ///< Of which all are shown.
constexpr std::size_t kMostOutliers = 6;
constexpr std::size_t kMostUnread = 3;
constexpr std::size_t kMostDrawn = 8;
constexpr std::size_t kMostNotes = 5;
constexpr std::int64_t kSmallPart = 100; ///< A hundredth is no difference worth a word.

bool hasSeveralDevices(const Job& job, const RankSummary& row)
{
    return std::ranges::any_of(job.rows, [&](const RankSummary& other) {
        return other.rank == row.rank && other.file == row.file && other.device != row.device;
    });
}

/// The first to fail, the outliers, what could not be read and the median, each once.
std::vector<std::size_t> notableRows(const Job& job)
{
    std::vector<std::size_t> rows;
    const auto add = [&](std::size_t row) {
        if (std::ranges::find(rows, row) == rows.end()) {
            rows.push_back(row);
        }
    };
    if (job.first) {
        add(job.first->row);
    }
    for (std::size_t i = 0; i < std::min(job.outliers.size(), kMostOutliers); ++i) {
        add(job.outliers[i].row);
    }
    std::size_t unread = 0;
    for (const std::size_t row : job.deciding) {
        if (!job.rows[row].isRead() && unread < kMostUnread) {
            ++unread;
            add(row);
        }
    }
    if (job.median) {
        add(*job.median);
    }
    return rows;
}

/// "first", "+8 ms", "yes" without times, nothing where none failed.
std::string oomText(const Job& job, std::size_t index)
{
    const std::optional<job::RankOom>& oom = job.rows[index].oom;
    if (!job.rows[index].hasFailed()) {
        return {};
    }
    const auto is_same = [&](const RankSummary& row) {
        return row.rank == job.rows[index].rank && row.device == job.rows[index].device
            && row.oom == oom;
    };
    // Another dump of that rank may hold the same failure.
    if (job.first && (job.first->row == index || is_same(job.rows[job.first->row]))) {
        return job.first->others.empty() ? say("yes") : say("first");
    }
    const std::optional<job::RankOom> first =
        job.first ? job.rows[job.first->row].oom : std::nullopt;
    if (!first || !first->time || !oom->time || *oom->time < *first->time) {
        return say("yes");
    }
    return "+" + formatDuration(*oom->time - *first->time);
}

std::string differenceText(const Job& job, std::size_t index, const OneUnit& unit)
{
    const RankSummary& row = job.rows[index];
    if (!row.isRead()) {
        return say("not read: {}", row.error);
    }
    if (job.median == index) {
        return say("median");
    }
    const std::optional<AgainstMedian> against = againstMedian(job, index);
    if (!against) {
        return {};
    }
    const auto outlier = std::ranges::find(job.outliers, index, &job::Outlier::row);
    if (outlier != job.outliers.end() && against->delta == Bytes{}) {
        return unit.signedCell(outlier->delta); // Only its request differs, which is in no bucket.
    }
    return against->is_small
        ? std::string("=")
        : fmt::format("{} {}", unit.signedCell(against->delta), label::bucketName(against->bucket));
}

/// Without those in which no rank differs.
std::string coordinatesText(const Job& job, const RankSummary& row)
{
    std::string text;
    for (const auto& [axis, number] : row.coordinates) {
        const std::pair mine(axis, number); // Older compilers capture no structured binding.
        const bool differs = std::ranges::any_of(job.rows, [&mine](const RankSummary& other) {
            const auto same = other.coordinates.find(mine.first);
            return same != other.coordinates.end() && same->second != mine.second;
        });
        if (differs) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis, number);
        }
    }
    return text;
}

std::string peaksText(const Job& job, const std::vector<std::size_t>& rows)
{
    const auto peak = [&](std::size_t row) { return job.rows[row].peak; };
    const auto [least, most] = std::ranges::minmax_element(rows, {}, peak);
    return formatInterval(peak(*least), peak(*most));
}

Section jobAnswer(const Job& job)
{
    Section section{"", {}, job.ranOut() ? Tone::alarm : Tone::plain};
    if (!job.sentences.empty()) {
        section.blocks.emplace_back(Paragraph{job.sentences.front().text, Emphasis::lead});
    }
    if (std::vector<std::string> further = furtherSentences(job); !further.empty()) {
        section.blocks.emplace_back(Bullets{std::move(further)});
    }
    return section;
}

Section tableSection(const Job& job)
{
    const ShownRows shown = shownRows(job);
    Section section;
    section.blocks.emplace_back(jobTable(job, shown));
    for (std::string& line : leftOutLines(job, shown)) {
        section.blocks.emplace_back(Paragraph{std::move(line), Emphasis::quiet});
    }
    return section;
}

} // namespace

std::string rankName(const Job& job, std::size_t index)
{
    const RankSummary& row = job.rows[index];
    return row.rank && hasSeveralDevices(job, row)
        ? say("rank {}, device {}", *row.rank, row.device)
        : job::rankName(row);
}

std::optional<AgainstMedian> againstMedian(const Job& job, std::size_t index)
{
    const auto outlier = std::ranges::find(job.outliers, index, &job::Outlier::row);
    if (outlier != job.outliers.end()) {
        return AgainstMedian{outlier->bucket, outlier->bucket_delta, false};
    }
    if (!job.median || *job.median == index || !job.rows[index].isRead()) {
        return std::nullopt;
    }
    const RankSummary& median = job.rows[*job.median];
    AgainstMedian found;
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        const std::int64_t delta = job.rows[index].largest[b] - median.largest[b];
        if (std::abs(delta) > std::abs(found.delta.value)) {
            found.bucket = label::bucketAt(b);
            found.delta = {delta};
        }
    }
    found.is_small = std::abs(found.delta.value) <= median.wanted().value / kSmallPart;
    return found;
}

ShownRows shownRows(const Job& job)
{
    ShownRows shown;
    if (job.rows.size() <= kFewRanks) {
        for (std::size_t row = 0; row < job.rows.size(); ++row) {
            shown.rows.push_back(row);
        }
        return shown;
    }
    shown.earlier = job.rows.size() - job.deciding.size();
    if (job.deciding.size() <= kFewRanks) {
        shown.rows = job.deciding;
        return shown;
    }
    shown.rows = notableRows(job);
    for (const std::size_t row : job.deciding) {
        if (std::ranges::find(shown.rows, row) != shown.rows.end()) {
            continue;
        }
        const std::optional<AgainstMedian> against = againstMedian(job, row);
        (against && against->is_small ? shown.alike : shown.others).push_back(row);
    }
    return shown;
}

std::vector<std::string> leftOutLines(const Job& job, const ShownRows& shown)
{
    std::vector<std::string> lines;
    const auto count = [](const auto& rows) { return static_cast<std::int64_t>(rows.size()); };
    if (!shown.alike.empty()) {
        lines.push_back(sayCounted(count(shown.alike), "… {} more rank like {}: peak {}.",
                                   "… {} more ranks like {}: peaks {}.",
                                   formatCount(count(shown.alike)), rankName(job, *job.median),
                                   peaksText(job, shown.alike)));
    }
    std::vector<std::size_t> read = shown.others;
    std::erase_if(read, [&](std::size_t row) { return !job.rows[row].isRead(); });
    if (!read.empty()) {
        lines.push_back(sayCounted(count(read), "… {} more rank that differs: peak {}.",
                                   "… {} more ranks that differ: peaks {}.",
                                   formatCount(count(read)), peaksText(job, read)));
    }
    if (const std::int64_t unread = count(shown.others) - count(read); unread > 0) {
        lines.push_back(sayCounted(unread, "… {} more unreadable file.",
                                   "… {} more unreadable files.", formatCount(unread)));
    }
    if (shown.earlier > 0) {
        const auto earlier = static_cast<std::int64_t>(shown.earlier);
        lines.push_back(sayCounted(earlier, "… and {} earlier dump.", "… and {} earlier dumps.",
                                   formatCount(earlier)));
    }
    return lines;
}

Table jobTable(const Job& job, const ShownRows& shown)
{
    Table table{{{say("Rank"), Align::left},
                 {say("Moment"), Align::left},
                 {say("Host"), Align::left},
                 {say("Mesh"), Align::left},
                 {say("Peak"), Align::right},
                 {say("Reserved"), Align::right},
                 {say("OOM"), Align::right},
                 {say("vs. median (bucket peaks)"), Align::left}},
                {},
                {}};
    Bytes largest{};
    for (const std::size_t index : shown.rows) {
        largest = std::max({largest, job.rows[index].peak, job.rows[index].reserved});
    }
    const OneUnit unit(largest);
    for (const std::size_t index : shown.rows) {
        const RankSummary& row = job.rows[index];
        table.rows.push_back({rankName(job, index), row.moment.text(), row.host,
                              coordinatesText(job, row), row.isRead() ? unit.cell(row.peak) : "",
                              row.isRead() ? unit.cell(row.reserved) : "", oomText(job, index),
                              differenceText(job, index, unit)});
    }
    for (std::size_t column = table.columns.size(); column-- > 1;) {
        dropEmptyColumn(table, column);
    }
    return table;
}

std::string jobTitle(const Job& job)
{
    if (!job.world_size) {
        const auto found = static_cast<std::int64_t>(job.deciding.size());
        return sayCounted(found, "Dumps of {} rank", "Dumps of {} ranks", formatCount(found));
    }
    const std::int64_t ranks = *job.world_size;
    return sayCounted(ranks, "Job of {} rank", "Job of {} ranks", formatCount(ranks));
}

std::vector<std::string> furtherSentences(const Job& job)
{
    std::vector<std::string> texts;
    for (std::size_t i = 1; i < job.sentences.size(); ++i) {
        texts.push_back(job.sentences[i].text);
    }
    return texts;
}

std::vector<std::string> shownNotes(const Job& job)
{
    if (job.notes.size() <= kMostNotes) {
        return job.notes;
    }
    std::vector<std::string> notes(job.notes.begin(), job.notes.begin() + kMostNotes - 1);
    const auto more = static_cast<std::int64_t>(job.notes.size() - notes.size());
    notes.push_back(say("… and {} more notes.", formatCount(more)));
    return notes;
}

std::vector<std::size_t> drawnRows(const Job& job)
{
    std::vector<std::size_t> rows =
        job.deciding.size() <= kMostDrawn ? job.deciding : notableRows(job);
    std::erase_if(rows, [&](std::size_t row) {
        return !job.rows[row].isRead() || job.rows[row].curve.points.empty();
    });
    rows.resize(std::min(rows.size(), kMostDrawn));
    return rows;
}

Document jobDocument(const Job& job)
{
    Document document{jobTitle(job), {jobAnswer(job), tableSection(job)}};
    document.sections[0].part = "verdict";
    document.sections[1].part = "ranks";
    if (!job.notes.empty()) {
        document.sections.push_back({"", {Bullets{shownNotes(job)}}, Tone::plain, false, "notes"});
    }
    if (std::optional<Figure> figure = jobFigure(job)) {
        document.sections.push_back({"", {std::move(*figure)}, Tone::plain, false, "timeline"});
    }
    return document;
}

Document jobReportDocument(const Job& job)
{
    Document document = jobDocument(job);
    document.title = say("Memory report: {}", document.title);
    return document;
}

} // namespace tidemark::report
