// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/what_if.h"
#include "core/job/judge_parts.h"
#include "core/job/rank_causes.h"
#include "core/job/read_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tidemark::job {
namespace {

/// Outliers that are opened: each costs two analyses.
constexpr std::size_t kMostExplained = 3;

std::optional<std::size_t> deviceOf(const diagnose::Analysis& analysis, const RankSummary& row)
{
    for (std::size_t d = 0; d < analysis.deviceCount(); ++d) {
        const trace::Device& device = analysis.snapshot->devices[d];
        if (device.kind == trace::DeviceKind::gpu && device.index == row.device) {
            return d;
        }
    }
    return std::nullopt;
}

/// A row that is open; nothing where it could not be opened.
struct OpenedRow {
    std::optional<std::size_t> row;
    std::optional<diagnose::Analysis> analysis;
};

void openInto(OpenedRow& opened, const Job& job, std::size_t row, const OpenRow& open,
              pipeline::Stage last)
{
    if (opened.row == row) {
        return;
    }
    opened.analysis.reset(); // Before the next one is there: two are in memory at a time.
    opened.row = row;
    Result<diagnose::Analysis> analysis = open(job.rows[row], last);
    if (analysis.has_value() && deviceOf(analysis.value(), job.rows[row])) {
        opened.analysis = std::move(analysis).value();
    }
}

std::string becauseOf(const Job& job, const Outlier& outlier, const OpenedRow& median,
                      const OpenedRow& odd, const std::stop_token& stop)
{
    if (!median.analysis || !odd.analysis) {
        return causeOfSummaries(job, outlier);
    }
    const RankSummary& one = job.rows[outlier.row];
    const RankSummary& other = job.rows[outlier.against];
    compare::DifferenceOptions options;
    options.device_a = deviceOf(*median.analysis, other).value_or(0);
    options.device_b = deviceOf(*odd.analysis, one).value_or(0);
    options.letter_a = rankNameFirst(other);
    options.letter_b = rankNameFirst(one);
    options.are_ranks = true;
    options.predicts = false;
    options.stop = stop;
    const compare::Difference difference =
        compare::findDifference(*median.analysis, *odd.analysis, options);
    if (stop.stop_requested()) {
        return {};
    }
    std::string cause = causeOf(job, outlier, *median.analysis, *odd.analysis, difference);
    return cause.empty() ? causeOfSummaries(job, outlier) : cause;
}

/// The rank that decides whether the job fits.
std::optional<std::size_t> decidingRow(const Job& job)
{
    const std::vector<std::size_t> rows = readRows(job);
    if (job.first || rows.empty()) {
        return job.first ? std::optional(job.first->row) : std::nullopt;
    }
    return std::ranges::max(rows, {}, [&job](std::size_t row) {
        const RankSummary& one = job.rows[row];
        return std::pair(one.hasFailed(), one.wanted());
    });
}

const diagnose::DeviceDiagnosis* diagnosisOf(const Job& job, const OpenedRow& opened)
{
    if (!opened.analysis || !opened.analysis->diagnosis) {
        return nullptr;
    }
    const auto device = deviceOf(*opened.analysis, job.rows[*opened.row]);
    return device ? &opened.analysis->diagnosis->devices[*device] : nullptr;
}

/// What a change makes of another rank, as a sentence.
std::string sameChange(const Job& job, const std::string& apply, std::size_t row,
                       const OpenRow& open, const std::stop_token& stop)
{
    OpenedRow other;
    openInto(other, job, row, open, pipeline::Stage::diagnosis);
    const auto changes = diagnose::parseChanges(apply);
    if (!other.analysis || !changes.has_value()) {
        return {};
    }
    const diagnose::WhatIf what_if(*other.analysis, *deviceOf(*other.analysis, job.rows[row]),
                                   stop);
    if (stop.stop_requested()) {
        return {};
    }
    const diagnose::Prediction after = what_if.predict(changes.value());
    return say("The same fix brings {} from {} to {}.", rankName(job.rows[row]), after.before_need,
               after.after_need);
}

/// What the failure of one rank alone says of the others. Those that held as much just before were
/// about to request the same.
void addOthers(Job& job, std::size_t failed)
{
    const RankSummary& median = job.rows[*job.median];
    const bool is_pipeline =
        std::ranges::find(job.sentences, Says::pipeline, &Sentence::says) != job.sentences.end();
    const bool were_as_full = static_cast<double>(job.rows[failed].oom->active.value)
        <= (1 + kDiffers) * static_cast<double>(median.wanted().value);
    if (*job.median == failed) {
        return;
    }
    if (were_as_full && !is_pipeline) {
        job.sentences.push_back({Says::fix,
                                 say("The others had as much in use; they may need the same fix."),
                                 std::nullopt});
    } else if (!were_as_full && isWhole(job) && median.steps > 0) {
        // Else a rank without a dump, or their largest step, may be still to come.
        job.sentences.push_back({Says::fix, say("The others fit as they are."), std::nullopt});
    }
}

/// The fix for the rank that decides, and what it is to the others.
void addFix(Job& job, const OpenRow& open, const std::stop_token& stop)
{
    const std::optional<std::size_t> row = decidingRow(job);
    const bool is_shared_card =
        std::ranges::find(job.sentences, Says::card, &Sentence::says) != job.sentences.end();
    // Of a card that ranks share, no change of one of them is the fix.
    if (!row || !endsInFailure(job) || is_shared_card) {
        return;
    }
    std::string apply;
    {
        OpenedRow deciding;
        openInto(deciding, job, *row, open, pipeline::Stage::diagnosis);
        const diagnose::DeviceDiagnosis* const diagnosis = diagnosisOf(job, deciding);
        if (diagnosis == nullptr || !diagnosis->answer || diagnosis->answer->sentence.empty()
            || stop.stop_requested()) {
            return;
        }
        apply = diagnosis->answer->apply;
        job.sentences.push_back(
            {Says::fix, say("{}: {}", rankNameFirst(job.rows[*row]), diagnosis->answer->sentence),
             row});
    }
    const bool is_alone = job.first && job.first->others.empty();
    if (!job.median || job.deciding.size() < 2) {
        return;
    }
    if (is_alone) {
        addOthers(job, *row);
        return;
    }
    if (areEqual(job.rows[*row].wanted().value, job.rows[*job.median].wanted().value, kDiffers)) {
        job.sentences.push_back({Says::fix, say("All ranks need the same fix."), std::nullopt});
        return;
    }
    if (*job.median == *row || apply.empty()) {
        return;
    }
    if (std::string text = sameChange(job, apply, *job.median, open, stop); !text.empty()) {
        job.sentences.push_back({Says::fix, std::move(text), job.median});
    }
}

} // namespace

void explain(Job& job, const OpenRow& open, const std::stop_token& stop)
{
    OpenedRow median;
    OpenedRow odd;
    for (std::size_t i = 0; i < job.outliers.size() && i < kMostExplained; ++i) {
        Outlier& outlier = job.outliers[i];
        odd.analysis.reset();
        openInto(median, job, outlier.against, open, pipeline::Stage::programs);
        openInto(odd, job, outlier.row, open, pipeline::Stage::programs);
        if (stop.stop_requested()) {
            return;
        }
        outlier.because = becauseOf(job, outlier, median, odd, stop);
        const auto sentence = std::ranges::find_if(job.sentences, [&](const Sentence& s) {
            return s.says == Says::outlier && s.row == outlier.row;
        });
        if (sentence != job.sentences.end() && !outlier.because.empty()) {
            sentence->text += ' ' + outlier.because;
        }
    }
    odd.analysis.reset();
    if (mayBeReplicated(job) && !stop.stop_requested()) {
        openInto(median, job, median.row.value_or(*job.median), open, pipeline::Stage::programs);
        if (median.analysis) {
            addReplicated(job, *median.analysis,
                          *deviceOf(*median.analysis, job.rows[*median.row]));
        }
    }
    median.analysis.reset();
    if (!stop.stop_requested()) {
        addFix(job, open, stop);
    }
}

} // namespace tidemark::job
