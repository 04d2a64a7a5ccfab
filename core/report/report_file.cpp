// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/report_file.h"

#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/base/new_file.h"
#include "core/base/output_check.h"
#include "core/report/csv.h"
#include "core/report/difference_report.h"
#include "core/report/documents.h"
#include "core/report/job_parts.h"
#include "core/report/job_report.h"
#include "core/report/json.h"
#include "core/report/labels_list.h"
#include "core/report/page_data.h"
#include "core/report/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tidemark::report {
namespace {

using diagnose::Analysis;

constexpr std::size_t kLargestInFile = 50;

/// The figures of every device, and the diagnosis and the largest allocations of those that are
/// shown in full. Device by device: together they are many times what one of them takes.
void writePartJson(std::ostream& out, const Analysis& analysis,
                   std::span<const pipeline::Bookmark> bookmarks)
{
    const label::Details details = label::findDetails(*analysis.snapshot, *analysis.replay,
                                                      *analysis.labels, analysis.programs.get());
    const diagnose::DetailedDevices detailed = diagnose::detailedDevices(analysis);
    const std::vector<std::size_t>& devices = detailed.shown;
    out << R"({"summary":)" << toString(summaryJson(analysis, details)) << R"(,"diagnoses":[)";
    for (std::size_t i = 0; i < devices.size(); ++i) {
        out << (i == 0 ? "" : ",") << toString(diagnosisJson(analysis, devices[i]));
    }
    out << R"(],"largest_allocations":[)";
    for (std::size_t i = 0; i < devices.size(); ++i) {
        out << (i == 0 ? "" : ",")
            << toString(selectionJson(analysis, details,
                                      largestAtMoment(analysis, devices[i], kLargestInFile)));
    }
    out << R"(],"devices_without_details":)" << detailed.left_out;
    if (const Json marks = bookmarksJson(analysis, bookmarks); !marks.empty()) {
        out << R"(,"bookmarks":)" << toString(marks);
    }
    out << "}";
}

void writeReportJson(std::ostream& out, const Analysis& analysis, const Analysis* other,
                     const ReportBookmarks& bookmarks)
{
    out << R"({"report":)";
    writePartJson(out, analysis, bookmarks.own);
    if (other != nullptr) {
        out << R"(,"other":)";
        writePartJson(out, *other, bookmarks.other);
        const bool is_comparable = analysis.deviceCount() > 0 && other->deviceCount() > 0;
        out << R"(,"comparison":)"
            << toString(is_comparable ? differenceJson(
                            analysis, *other,
                            compare::findDifference(analysis, *other,
                                                    compare::mainDevices(analysis, *other)))
                                      : Json(nullptr));
    }
    out << "}\n";
}

std::vector<std::size_t> allDevices(const Analysis& analysis)
{
    return chosenDevices(analysis, std::nullopt).value();
}

Error cannotWrite(const Error& error)
{
    return {
        error.code,
        say("Cannot write the report ({}); check the folder and free disk space.", error.message),
        {}};
}

/// A page of which the timeline is left out has no script.
bool drawsTimeline(std::span<const std::string> only)
{
    return only.empty() || std::ranges::find(only, "timeline") != only.end();
}

/// The document, and what its script draws.
void writePage(std::ostream& out, const Analysis& analysis, const Analysis* other,
               const ReportOptions& options)
{
    const bool draws = drawsTimeline(options.only);
    const auto onPaper = [&options](Document document) {
        document.paper = options.paper;
        return document;
    };
    if (other == nullptr) {
        out << toHtml(onPaper(reportDocument(analysis, other, options)),
                      draws ? pageData(analysis) : std::string());
        return;
    }
    const auto difference = reportDifference(analysis, *other, options.letters);
    out << toHtml(onPaper(comparisonDocument(analysis, *other, difference, options)),
                  draws && difference ? pageData(analysis, *other, *difference, options.letters)
                                      : std::string());
}

OutputKind outputKind(ReportFormat format)
{
    switch (format) {
    case ReportFormat::html:
        return OutputKind::html;
    case ReportFormat::json:
        return OutputKind::json;
    case ReportFormat::markdown:
        return OutputKind::markdown;
    case ReportFormat::csv:
        break;
    }
    return OutputKind::csv;
}

/// The tables of a document, each with its file: RUN.fixes.csv, and RUN.fixes-2.csv for another one
/// of that part.
std::vector<std::pair<std::filesystem::path, const Table*>>
tableFiles(const std::filesystem::path& file, const Document& document)
{
    std::vector<std::pair<std::filesystem::path, const Table*>> files;
    std::map<std::string_view, int> known;
    for (const Section& section : document.sections) {
        for (const Block& block : section.blocks) {
            if (const auto* const table = std::get_if<Table>(&block)) {
                const int count = ++known[section.part];
                std::string name(section.part.empty() ? "table" : section.part);
                name += count == 1 ? "" : fmt::format("-{}", count);
                files.emplace_back(csvTableFile(file, name), table);
            }
        }
    }
    return files;
}

/// Of a table of facts, which has no titles, too.
std::string csvHeader(const Table& table)
{
    std::vector<std::string> titles;
    for (const Column& column : table.columns) {
        titles.push_back(column.title);
    }
    const bool has_title =
        std::ranges::any_of(titles, [](const std::string& title) { return !title.empty(); });
    return has_title ? csvLine(titles) : "what,value";
}

/// What a page has beside the list of allocations: each table as it is read there.
Result<Done> addTables(NewFiles& out, const std::filesystem::path& file, const Document& document,
                       std::span<const std::filesystem::path> inputs)
{
    const auto files = tableFiles(file, document);
    for (const auto& [name, table] : files) {
        // Another run may lack some columns, but not the first.
        const std::string header = lowered(csvHeader(*table));
        const Result<Done> allowed =
            checkOutput(name, OutputKind::csv, inputs, header.substr(0, header.find(',') + 1));
        if (!allowed.has_value()) {
            return allowed;
        }
    }
    for (const auto& each : files) {
        const Table& table = *each.second;
        const Result<Done> done =
            out.add(each.first, [&table](std::ostream& stream) -> Result<Done> {
                stream << csvHeader(table) << '\n';
                for (const std::vector<std::string>& row : table.rows) {
                    stream << csvLine(row) << '\n';
                }
                return Done{};
            });
        if (!done.has_value()) {
            return done;
        }
    }
    return Done{};
}

/// Files that appear only when `add(files, format)` is done with them; `file` is one of them.
template <class Add>
Result<Done> writeFiles(const std::filesystem::path& file,
                        std::span<const std::filesystem::path> inputs, const Add& add)
{
    const Result<Done> allowed = checkReportFile(file, inputs);
    if (!allowed.has_value()) {
        return allowed;
    }
    NewFiles files;
    Result<Done> done = add(files, reportFormatOf(file).value());
    if (done.has_value()) {
        done = files.commit();
    }
    return done.has_value() || done.error().code != ErrorCode::cannotWrite
        ? done
        : cannotWrite(done.error());
}

} // namespace

Result<ReportFormat> reportFormatOf(const std::filesystem::path& file)
{
    const std::string ending = lowered(file.extension().string());
    if (ending == ".html" || ending == ".htm") {
        return ReportFormat::html;
    }
    if (ending == ".json") {
        return ReportFormat::json;
    }
    if (ending == ".md" || ending == ".markdown") {
        return ReportFormat::markdown;
    }
    if (ending == ".csv") {
        return ReportFormat::csv;
    }
    if (ending == ".pdf") {
        return Error{ErrorCode::badArgument,
                     say("For a PDF, use 'tidemark --report OUT.pdf FILE'; here the name must end "
                         "in .html, .json, .md or .csv."),
                     {}};
    }
    return Error{
        ErrorCode::badArgument, say("A report's name must end in .html, .json, .md or .csv."), {}};
}

Result<Done> writeReport(std::ostream& out, ReportFormat format, const Analysis& analysis,
                         const Analysis* other, const ReportOptions& options)
{
    switch (format) {
    case ReportFormat::html:
        writePage(out, analysis, other, options);
        break;
    case ReportFormat::markdown:
        out << toMarkdown(reportDocument(analysis, other, options));
        break;
    case ReportFormat::json:
        writeReportJson(out, analysis, other, options.bookmarks);
        break;
    case ReportFormat::csv:
        if (other != nullptr) {
            return Error{
                ErrorCode::badArgument,
                say("A CSV report covers one file; drop the second or write .html, .json or .md."),
                {}};
        }
        writeLabelsCsv(out, analysis, allDevices(analysis));
        break;
    }
    return Done{};
}

Result<Done> checkReportFile(const std::filesystem::path& file,
                             std::span<const std::filesystem::path> inputs)
{
    const Result<ReportFormat> format = reportFormatOf(file);
    return format.has_value() ? checkOutput(file, outputKind(format.value()), inputs)
                              : Result<Done>(format.error());
}

Result<Done> writeReportFile(const std::filesystem::path& file, const Analysis& analysis,
                             const Analysis* other, const ReportOptions& options)
{
    const std::array<std::filesystem::path, 2> own{
        analysis.file, other == nullptr ? std::filesystem::path() : other->file};
    const std::span<const std::filesystem::path> inputs =
        options.inputs.empty() ? std::span<const std::filesystem::path>(own) : options.inputs;
    std::error_code none;
    const bool is_device =
        std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none);
    return writeFiles(file, inputs, [&](NewFiles& files, ReportFormat format) {
        Result<Done> done = files.add(file, [&](std::ostream& out) {
            return writeReport(out, format, analysis, other, options);
        });
        return done.has_value() && format == ReportFormat::csv && !is_device
            ? addTables(files, file, reportDocument(analysis, other, options), inputs)
            : done;
    });
}

void writeJobReport(std::ostream& out, ReportFormat format, const job::Job& job,
                    const ReportOptions& options)
{
    Document document = jobReportDocument(job);
    document.paper = options.paper;
    keepParts(document, options.only);
    switch (format) {
    case ReportFormat::html:
        out << toHtml(document, drawsTimeline(options.only) ? pageData(job) : std::string());
        break;
    case ReportFormat::markdown:
        out << toMarkdown(document);
        break;
    case ReportFormat::json:
        out << R"({"report":)" << toString(jobJson(job)) << "}\n";
        break;
    case ReportFormat::csv:
        writeJobCsv(out, job);
        break;
    }
}

Result<Done> writeJobReportFile(const std::filesystem::path& file, const job::Job& job,
                                std::span<const std::filesystem::path> inputs,
                                const ReportOptions& options)
{
    return writeFiles(file, inputs, [&](NewFiles& files, ReportFormat format) {
        return files.add(file, [&](std::ostream& out) -> Result<Done> {
            writeJobReport(out, format, job, options);
            return Done{};
        });
    });
}

} // namespace tidemark::report
