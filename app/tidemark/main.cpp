// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/job_input.h"
#include "app/cli/remote_input.h"
#include "app/cli/report_options.h"
#include "app/cli/text_input.h"
#include "app/tidemark/example.h"
#include "app/tidemark/options.h"
#include "app/tidemark/screenshot.h"
#include "app/tidemark/settings.h"
#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/base/new_file.h"
#include "core/base/output_check.h"
#include "core/job/redact.h"
#include "core/pipeline/pipeline.h"
#include "core/remote/address.h"
#include "core/report/report_file.h"
#include "core/report/text_tools.h"
#include "ui/models/band_grouping.h"
#include "ui/models/language.h"
#include "ui/models/letters.h"
#include "ui/models/text.h"
#include "ui/models/view_link.h"
#include "ui/report/pdf_report.h"
#include "ui/views/dialogs/remote_dialog.h"
#include "ui/views/look/theme.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/job_actions.h"
#include "ui/views/window/main_window.h"
#include "ui/views/window/watch_actions.h"

#include <malloc.h>

#include <QtCore/QLocale>
#include <QtCore/QStandardPaths>
#include <QtCore/QUrl>
#include <QtGui/QIcon>
#include <QtWidgets/QApplication>

#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace tidemark::app {
namespace {

using ui::MainWindow;

/// Names and arguments may hold what a terminal obeys.
void complain(const std::string& sentence)
{
    std::cerr << "tidemark: " << report::visibleText(sentence) << '\n';
}

QtMessageHandler& formerHandler()
{
    static QtMessageHandler handler = nullptr;
    return handler;
}

/// Leaves out what the platform without a screen says of itself: nobody can act on it.
void handleMessage(QtMsgType type, const QMessageLogContext& context, const QString& message)
{
    if (!message.startsWith(QStringLiteral("This plugin does not support"))) {
        formerHandler()(type, context, message);
    }
}

std::vector<std::string> filesOf(const Options& options)
{
    std::vector<std::string> files = options.files;
    if (options.example) {
        files.push_back(ui::utf8(examplePath()));
    }
    return files;
}

/// Whether the ending of a name asks for a page or a text; .pdf, or none, for a PDF. Errors:
/// badArgument for any other.
Result<bool> isTextReport(const std::filesystem::path& file)
{
    if (report::reportFormatOf(file).has_value()) {
        return true;
    }
    const std::string ending = lowered(file.extension().string());
    if (ending.empty() || ending == ".pdf") {
        return false;
    }
    return Error{ErrorCode::badArgument,
                 say("A report's name must end in .pdf, .html, .md, .json or .csv."),
                 {}};
}

void setPaper(ui::PdfOptions& options, report::PaperSize paper)
{
    if (paper != report::PaperSize::any) {
        options.page_size =
            QPageSize(paper == report::PaperSize::a4 ? QPageSize::A4 : QPageSize::Letter);
    }
}

/// A PDF, an interactive page or a text, by the ending of the name.
Result<Done> writeRuns(const QString& path, std::vector<diagnose::Analysis> analyses,
                       report::ReportBookmarks bookmarks, ui::PdfOptions options,
                       const ui::ReportWish& wish)
{
    const std::filesystem::path file = ui::pathFrom(path);
    const Result<bool> is_text = isTextReport(file);
    if (!is_text.has_value()) {
        return is_text.error();
    }
    for (const diagnose::Analysis& analysis : analyses) {
        options.inputs.push_back(analysis.file);
    }
    report::ReportOptions parts;
    parts.bookmarks = std::move(bookmarks);
    if (wish.redacts) {
        if (Result<Done> done = cli::redactRuns(analyses, parts.bookmarks); !done.has_value()) {
            return done;
        }
    }
    if (!is_text.value()) {
        setPaper(options, wish.paper);
        options.bookmarks = {parts.bookmarks.own, parts.bookmarks.other};
        return ui::writePdf(path, analyses, options);
    }
    parts.inputs = options.inputs;
    parts.paper = wish.paper;
    parts.letters = {ui::utf8(options.letters[0]), ui::utf8(options.letters[1])};
    parts.single_reports = options.single_reports;
    return report::writeReportFile(file, analyses.front(),
                                   analyses.size() > 1 ? &analyses[1] : nullptr, parts);
}

Result<Done> writeJob(const QString& path, job::Job job,
                      std::span<const std::filesystem::path> inputs, ui::PdfOptions options,
                      const ui::ReportWish& wish)
{
    const std::filesystem::path file = ui::pathFrom(path);
    const Result<bool> is_text = isTextReport(file);
    if (!is_text.has_value()) {
        return is_text.error();
    }
    if (wish.redacts) {
        pipeline::Redaction names;
        job::redact(job, names);
    }
    if (!is_text.value()) {
        setPaper(options, wish.paper);
        return ui::writeJobPdf(path, job, inputs, options);
    }
    report::ReportOptions parts;
    parts.paper = wish.paper;
    return report::writeJobReportFile(file, job, inputs, parts);
}

int writeJobReport(const Options& options, const std::vector<std::string>& files,
                   std::span<const std::filesystem::path> inputs)
{
    job::ReadOptions read;
    read.open = {options.read, options.input, options.rules};
    const Result<job::Job> job = cli::readNamedJob(files, read);
    if (!job.has_value()) {
        complain(files.front() + ": " + job.error().message);
        return kUnusable;
    }
    const Result<Done> written = writeJob(ui::pathText(options.report), job.value(), inputs, {},
                                          {options.redacts, options.paper});
    if (!written.has_value()) {
        complain(written.error().message);
        return kUnusable;
    }
    return 0;
}

int writeReport(const Options& options)
{
    const std::vector<std::string> files = filesOf(options);
    const std::vector<std::filesystem::path> inputs(files.begin(), files.end());
    const Result<bool> is_text = isTextReport(options.report);
    const Result<Done> allowed = is_text.has_value() && is_text.value()
        ? report::checkReportFile(options.report, inputs)
        : checkOutput(options.report, OutputKind::pdf, inputs);
    if (!allowed.has_value() || !is_text.has_value()) {
        complain((allowed.has_value() ? is_text.error() : allowed.error()).message);
        return kUnusable;
    }
    if (cli::namesJob(files)) {
        return writeJobReport(options, files, inputs);
    }
    std::vector<diagnose::Analysis> analyses;
    for (const std::string& file : files) {
        const auto analysis = cli::readInput(
            {file, remote::farAddress(file)}, {options.read, options.input, options.rules},
            [&file](const std::string& notice) { complain(file + ": " + notice); });
        if (!analysis.has_value() && cli::isFarJob(files)) {
            return writeJobReport(options, files, inputs);
        }
        if (!analysis.has_value()) {
            complain(file + ": " + analysis.error().message);
            return kUnusable;
        }
        analyses.push_back(analysis.value());
    }
    ui::PdfOptions pdf;
    pdf.single_reports = options.single_reports;
    report::ReportBookmarks bookmarks = cli::savedBookmarks(analyses, options.rules);
    for (std::size_t i = 0; i < files.size(); ++i) {
        cli::callAsNamed(analyses[i], files[i]);
    }
    const Result<Done> written =
        writeRuns(ui::pathText(options.report), analyses, std::move(bookmarks), pdf,
                  {options.redacts, options.paper});
    if (!written.has_value()) {
        complain(written.error().message);
        return kUnusable;
    }
    return 0;
}

int runWindow(const Options& options)
{
    ui::Preferences preferences;
    loadPreferences(preferences);
    if (options.theme) {
        preferences.setTheme(*options.theme);
    }
    ui::speakLanguage(
        ui::languageFor(options.language.isEmpty() ? preferences.language() : options.language,
                        QLocale::system().uiLanguages()));
    const auto apply = [&preferences] {
        ui::applyTheme(*qApp, ui::resolveTheme(preferences.theme()));
    };
    apply();
    QObject::connect(&preferences, &ui::Preferences::themeChanged, qApp, apply);

    ui::Session session(options.read);
    session.setRuleOptions(options.rules);
    session.setGivenInput(options.input);
    ui::WindowServices services;
    services.write_report =
        [rules = options.rules](const QString& path, std::span<const diagnose::Analysis> analyses,
                                const QStringList& letters, const ui::ReportWish& wish,
                                const std::stop_token& stop) {
            ui::PdfOptions pdf;
            pdf.stop = stop;
            if (letters.size() == 2) {
                pdf.letters = {letters[0], letters[1]};
            }
            return writeRuns(path, {analyses.begin(), analyses.end()},
                             cli::savedBookmarks(analyses, rules), pdf, wish);
        };
    services.write_job_report = [](const QString& path, const job::Job& job,
                                   const ui::ReportWish& wish, const std::stop_token& stop) {
        ui::PdfOptions pdf;
        pdf.stop = stop;
        std::vector<std::filesystem::path> inputs;
        for (const job::RankSummary& row : job.rows) {
            inputs.push_back(row.snapshot);
        }
        return writeJob(path, job, inputs, pdf, wish);
    };
    services.example_path = examplePath();
    MainWindow window(session, preferences, std::move(services));
    loadWindow(window,
               options.has_size ? std::optional(QSize(options.width, options.height))
                                : std::nullopt);
    if (options.bands) {
        window.analysisPage().timeline().grouper().setBy(*options.bands);
    }
    window.show();
    const QString kept = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
    window.setSessionPath(kept.isEmpty() ? kept : kept + QStringLiteral("/session.json"));
    if (filesOf(options).empty() && options.watch.empty()) {
        window.restoreSession();
    }
    QStringList paths;
    for (const std::string& file : filesOf(options)) {
        QString path = ui::pathText(file);
        if (path.startsWith(QStringLiteral("file://"))) {
            path = QUrl(path).toLocalFile(); // As a desktop hands it over.
        }
        if (ui::isLink(path)) {
            window.openLink(path, options.input);
        } else if (ui::RemoteDialog::isAddress(path)) {
            window.openRemote(path);
        } else {
            paths << path;
        }
    }
    const auto open = [&](const QStringList& files) { session.addFiles(files, options.input); };
    if (!window.jobActions().take(paths, open)) {
        open(paths);
    }
    if (!options.watch.empty()) {
        window.watchActions().watch(ui::pathText(options.watch));
    }
    const int code = QApplication::exec();
    window.saveSession();
    saveWindow(window);
    savePreferences(preferences);
    return code;
}

bool hasDisplay()
{
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY")
        || qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

/// Gives the memory of a large file back to the system when it is closed. By itself glibc keeps
/// ever larger blocks in its heap, where small ones that live on hold their pages: a quarter of an
/// hour with files of up to a million events left 164 MiB more than before it, with this 65 MiB.
void returnLargeBlocks()
{
    constexpr int kLarge = 1 << 20; // bytes
    mallopt(M_MMAP_THRESHOLD, kLarge);
}

int runProgram(int argc, char** argv)
{
    returnLargeBlocks();
    cli::keepStandardStreams();
    const auto parsed = parseArguments(argc, argv);
    if (const Exit* exit = std::get_if<Exit>(&parsed)) {
        if (!exit->error.empty()) {
            complain(exit->error);
        }
        std::cout << exit->output << std::flush;
        if (!std::cout) {
            complain(say("Cannot write the output; check free disk space."));
            return kUnusable;
        }
        return exit->code;
    }
    const Options& options = std::get<Options>(parsed);
    if (options.needsDisplay() && !hasDisplay()) {
        complain(say(
            "No display for a window; use --report OUT.pdf FILE or --screenshot OUT.png FILE."));
        return kUnusable;
    }
    if (!options.needsDisplay() && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    QCoreApplication::setOrganizationName(QStringLiteral("Tidemark"));
    QCoreApplication::setOrganizationDomain(QStringLiteral("tidemark.org"));
    QCoreApplication::setApplicationName(QStringLiteral("Tidemark"));
    QCoreApplication::setApplicationVersion(QStringLiteral(TIDEMARK_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.tidemark.Tidemark"));
    int no_arguments = 1; // Ours are read already; Qt's own come from the environment.
    formerHandler() = qInstallMessageHandler(handleMessage);
    QApplication application(no_arguments, argv);
    removeUnfinishedFilesOnSignals();
    QApplication::setWindowIcon(QIcon::fromTheme(QStringLiteral("org.tidemark.Tidemark")));
    if (options.example && examplePath().isEmpty()) {
        complain(say("Example not installed; reinstall the program or open your own file."));
        return kUnusable;
    }
    // What is written for others does not depend on this machine's language.
    ui::speakLanguage(options.language);
    if (!options.report.empty()) {
        return writeReport(options);
    }
    if (options.screenshot.empty()) {
        if (!ui::hasLetters()) {
            complain(ui::utf8(ui::noLetters()));
        }
        return runWindow(options);
    }
    ui::applyTheme(application, ui::resolveTheme(options.theme.value_or(ui::ThemeChoice::light)));
    const Result<Done> taken = takeScreenshot(options);
    if (!taken.has_value()) {
        complain(taken.error().message);
        return kUnusable;
    }
    return 0;
}

} // namespace
} // namespace tidemark::app

int main(int argc, char** argv)
{
    try {
        return tidemark::app::runProgram(argc, argv);
    } catch (const std::bad_alloc&) {
        tidemark::app::complain(
            tidemark::say("Not enough free memory; close other programs or use a larger machine."));
        return tidemark::app::kUnusable;
    } catch (const std::exception& error) {
        tidemark::app::complain(tidemark::say(
            "Internal error: {}; please report it with the command you ran.", error.what()));
        return tidemark::app::kInternal;
    }
}
