// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/pdf_report.h"

#include "core/report/documents.h"
#include "core/report/job_report.h"
#include "ui/models/letters.h"
#include "ui/models/output_file.h"
#include "ui/models/text.h"
#include "ui/report/document_pages.h"
#include "ui/report/outline.h"
#include "ui/report/placed_figures.h"
#include "ui/report/words.h"

#include <QtCore/QBuffer>
#include <QtGui/QPageLayout>
#include <QtGui/QPainter>
#include <QtGui/QPdfWriter>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

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

/// The document of one run or of two, and what its pictures are drawn from.
struct Reported {
    std::vector<RunView> runs;
    std::optional<compare::Difference> difference;
    tidemark::report::Document document;
};

Reported reported(std::span<const diagnose::Analysis> analyses, const PdfOptions& options)
{
    Reported made;
    tidemark::report::ReportOptions parts;
    parts.single_reports = options.single_reports;
    parts.bookmarks = {options.bookmarks[0], options.bookmarks[1]};
    parts.letters = {utf8(options.letters[0]), utf8(options.letters[1])};
    for (std::size_t i = 0; i < analyses.size(); ++i) {
        RunView run =
            report::mainRun(analyses[i], analyses.size() == 2 ? options.letters[i] : QString());
        run.bookmarks = options.bookmarks[i];
        made.runs.push_back(std::move(run));
    }
    if (analyses.size() == 1) {
        made.document = tidemark::report::reportDocument(analyses[0], nullptr, parts);
        return made;
    }
    made.difference =
        tidemark::report::reportDifference(analyses[0], analyses[1], parts.letters, options.stop);
    if (!options.stop.stop_requested()) {
        made.document =
            tidemark::report::comparisonDocument(analyses[0], analyses[1], made.difference, parts);
    }
    return made;
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
    const QString name = report::elidedMiddle(title, style, left_width);
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

/// As reproducible builds have it (https://reproducible-builds.org/specs/source-date-epoch).
QDateTime dateOfNow()
{
    bool is_fixed = false;
    const qint64 seconds = qEnvironmentVariable("SOURCE_DATE_EPOCH").toLongLong(&is_fixed);
    return is_fixed ? QDateTime::fromSecsSinceEpoch(seconds, Qt::UTC)
                    : QDateTime::currentDateTime();
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
    const QDateTime date = options.date.value_or(dateOfNow());
    const QString date_text = QLocale::c().toString(date, QStringLiteral("yyyy-MM-dd HH:mm"));
    PageFlow flow(options.page_size.size(QPageSize::Point));
    const QString title = lay_out(flow);
    const Result<QByteArray> pages =
        paintPages(flow, options.page_size, title, date_text, options.stop);
    if (!pages.has_value()) {
        return pages.error();
    }
    const Result<QByteArray> document = report::withOutline(
        pages.value(), flow.bookmarks(), flow.pageSize().height(), {title, programText(), date});
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
    const bool is_complete = std::ranges::all_of(analyses, [](const diagnose::Analysis& analysis) {
        return analysis.snapshot && analysis.replay && analysis.labels && analysis.curves
            && analysis.block_sizes && analysis.diagnosis;
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
    std::vector<std::filesystem::path> inputs = options.inputs;
    for (std::size_t i = 0; i < analyses.size() && options.inputs.empty(); ++i) {
        inputs.push_back(analyses[i].file);
    }
    Reported made; // What is drawn refers to it.
    return writePages(path, inputs, options, [&](PageFlow& flow) {
        made = reported(analyses, options);
        report::addDocument(
            flow, made.document,
            [&made](PageFlow& pages, const tidemark::report::Figure& figure) {
                return figure.kind == tidemark::report::Figure::Kind::lanes
                    ? report::placeLanes(pages, made.runs[0], made.runs[1], *made.difference)
                    : report::placeTimeline(pages, made.runs[figure.run]);
            },
            options.stop);
        return report::shown(made.document.title);
    });
}

Result<Done> writeJobPdf(const QString& path, const job::Job& job,
                         std::span<const std::filesystem::path> inputs, const PdfOptions& options)
{
    return writePages(path, inputs, options, [&](PageFlow& flow) {
        const tidemark::report::Document document = tidemark::report::jobReportDocument(job);
        report::addDocument(
            flow, document,
            [&job](PageFlow& pages, const tidemark::report::Figure& /*figure*/) {
                return report::placeJob(pages, job);
            },
            options.stop);
        return report::shown(document.title);
    });
}

} // namespace tidemark::ui
