// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/pdf_report.h"

#include "core/diagnose/diagnose.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/prediction.h"
#include "core/report/job_parts.h"
#include "ui/models/letters.h"
#include "ui/models/output_file.h"
#include "ui/models/text.h"
#include "ui/report/outline.h"
#include "ui/report/page_flow.h"
#include "ui/report/sections.h"
#include "ui/report/words.h"

#include <QtCore/QBuffer>
#include <QtGui/QPageLayout>
#include <QtGui/QPainter>
#include <QtGui/QPdfWriter>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

namespace tidemark::ui {
namespace {

using report::PageFlow;
using report::RunView;
using report::TextBlock;

const QString& programText()
{
    static const QString text = QStringLiteral("Tidemark " TIDEMARK_VERSION);
    return text;
}

Error cancelled()
{
    return {ErrorCode::cancelled,
            utf8(report::ReportWords::tr("Writing the report was cancelled.")),
            {}};
}

/// The sections of one run, in their order; what remains of them is left out once it is to stop.
void addRun(PageFlow& flow, const RunView& run, const std::stop_token& stop)
{
    using Section = void (*)(PageFlow&, const RunView&, int);
    constexpr std::array<Section, 13> kSections{
        report::addTimeline, report::addBookmarks, report::addBuckets,     report::addOoms,
        report::addCauses,   report::addBudget,    report::addFixes,       report::addAllocations,
        report::addModules,  report::addSetAside,  report::addCorrections, report::addDevices,
        report::addFacts};
    constexpr int kLevel = 1;
    report::addVerdict(flow, run);
    for (const Section section : kSections) {
        if (stop.stop_requested()) {
            return;
        }
        section(flow, run, kLevel);
    }
}

RunView withRecommended(RunView run)
{
    if (run.diagnosis == nullptr) {
        return run;
    }
    for (const diagnose::Fix& fix : run.diagnosis->fixes) {
        const auto changes = diagnose::parseChanges(fix.apply);
        if (fix.status == diagnose::FixStatus::recommended && changes.has_value()) {
            run.recommended = std::make_shared<const diagnose::Prediction>(
                diagnose::predict(*run.analysis, run.device_index, changes.value()));
            run.recommended_title = report::recommendedTitles(*run.diagnosis);
            break;
        }
    }
    return run;
}

std::vector<RunView> runsOf(std::span<const diagnose::Analysis> analyses, const PdfOptions& options)
{
    if (analyses.size() == 1) {
        RunView run = report::mainRun(analyses[0]);
        run.bookmarks = options.bookmarks[0];
        return {withRecommended(std::move(run))};
    }
    std::vector<RunView> runs{report::mainRun(analyses[0], options.letters[0]),
                              report::mainRun(analyses[1], options.letters[1])};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].bookmarks = options.bookmarks[i];
    }
    if (options.single_reports) {
        std::ranges::transform(runs, runs.begin(), withRecommended);
    }
    return runs;
}

QString titleOf(const std::vector<RunView>& runs)
{
    const QString first = report::fileTitle(runs.front());
    return runs.size() == 2
        ? report::ReportWords::tr("%1 and %2").arg(first, report::fileTitle(runs.back()))
        : first;
}

void layOut(PageFlow& flow, const std::vector<RunView>& runs, const PdfOptions& options)
{
    if (runs.size() == 2) {
        report::addComparison(flow, runs[0], runs[1]);
        if (!options.single_reports) {
            return;
        }
        flow.breakPage();
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (i > 0) {
            flow.breakPage();
        }
        addRun(flow, runs[i], options.stop);
    }
    report::addGlossary(flow, runs.size() == 2 ? 0 : 1);
}

/// What stands above and below the content of every page.
void paintFrame(QPainter& painter, const PageFlow& flow, std::size_t page, const QString& title,
                const QString& date)
{
    const report::TextStyle style = report::kSmall;
    const double margin = report::kPageMargin;
    const double width = flow.pageSize().width() - 2 * margin;
    const QString number =
        report::ReportWords::tr("Page %1 of %2").arg(page + 1).arg(flow.pageCount());
    const TextBlock right(number, style, width, TextBlock::Align::right);
    const double left_width = width - right.naturalWidth() - 20;
    const QString name = report::elidedMiddle(
        report::ReportWords::tr("Memory report · %1").arg(title), style, left_width);
    TextBlock(name, style, width).draw(painter, {margin, margin});
    right.draw(painter, {margin, margin});
    painter.fillRect(QRectF(margin, margin + 12.5, width, 0.5), report::kPaleGrey);
    const double bottom = flow.pageSize().height() - margin - right.height();
    TextBlock(programText(), style, width).draw(painter, {margin, bottom});
    TextBlock(date, style, width, TextBlock::Align::right).draw(painter, {margin, bottom});
}

Result<QByteArray> paintPages(const PageFlow& flow, const QPageSize& size, const QString& title,
                              const QString& date, const std::stop_token& stop)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(static_cast<int>(72 * report::kGridPerPoint));
    writer.setPageLayout(QPageLayout(size, QPageLayout::Portrait, QMarginsF()));
    writer.setTitle(title);
    writer.setCreator(programText());
    QPainter painter;
    if (!painter.begin(&writer)) {
        return Error{
            ErrorCode::internal,
            utf8(report::ReportWords::tr("The pages of the report could not be painted."))};
    }
    painter.scale(report::kGridPerPoint, report::kGridPerPoint);
    for (std::size_t page = 0; page < flow.pageCount(); ++page) {
        if (stop.stop_requested()) {
            return cancelled();
        }
        if (page > 0) {
            writer.newPage();
        }
        paintFrame(painter, flow, page, title, date);
        flow.paint(page, painter);
    }
    painter.end();
    buffer.close();
    return bytes;
}

/// `lay_out(flow)` fills the pages and returns the title; the file is written when all is painted.
Result<Done> writePages(const QString& path, std::span<const std::filesystem::path> inputs,
                        const PdfOptions& options, const std::function<QString(PageFlow&)>& lay_out)
{
    // Before the work, and once more when it is done.
    const Result<Done> allowed = checkOutput(pathFrom(path), OutputKind::pdf, inputs);
    if (!allowed.has_value()) {
        return allowed;
    }
    if (!hasLetters()) {
        return Error{ErrorCode::cannotWrite, utf8(noLetters()), {}};
    }
    const QDateTime date = options.date.value_or(QDateTime::currentDateTime());
    const QString date_text = QLocale::c().toString(date, QStringLiteral("yyyy-MM-dd HH:mm"));
    PageFlow flow(options.page_size.size(QPageSize::Point));
    const QString title = lay_out(flow);
    const Result<QByteArray> pages =
        paintPages(flow, options.page_size, title, date_text, options.stop);
    if (!pages.has_value()) {
        return pages.error();
    }
    const Result<QByteArray> document = report::withOutline(
        pages.value(), flow.bookmarks(), flow.pageSize().height(),
        {report::ReportWords::tr("Memory report: %1").arg(title), programText(), date});
    if (!document.has_value()) {
        return document.error();
    }
    if (options.stop.stop_requested()) {
        return cancelled();
    }
    return writeOutput(path, document.value(), OutputKind::pdf, inputs);
}

} // namespace

Result<Done> writePdf(const QString& path, std::span<const diagnose::Analysis> analyses,
                      const PdfOptions& options)
{
    const bool is_complete =
        std::all_of(analyses.begin(), analyses.end(), [](const diagnose::Analysis& analysis) {
            return analysis.snapshot != nullptr;
        });
    if (analyses.empty() || analyses.size() > 2) {
        return Error{
            ErrorCode::badArgument,
            utf8(report::ReportWords::tr("A report holds one run or two runs to compare."))};
    }
    if (!is_complete) {
        return Error{ErrorCode::badArgument,
                     utf8(report::ReportWords::tr(
                         "The file is still being read; write the report when it is open."))};
    }
    std::vector<std::filesystem::path> inputs;
    for (const diagnose::Analysis& analysis : analyses) {
        inputs.push_back(analysis.file);
    }
    std::vector<RunView> runs; // What is drawn refers to them.
    const auto lay_out = [&](PageFlow& flow) {
        runs = runsOf(analyses, options);
        layOut(flow, runs, options);
        return titleOf(runs);
    };
    return writePages(path, inputs, options, lay_out);
}

Result<Done> writeJobPdf(const QString& path, const job::Job& job,
                         std::span<const std::filesystem::path> inputs, const PdfOptions& options)
{
    return writePages(path, inputs, options, [&](PageFlow& flow) {
        report::addJob(flow, job);
        return text(tidemark::report::jobTitle(job));
    });
}

} // namespace tidemark::ui
