// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/tidemark/options.h"

#include "app/cli/arguments.h"
#include "app/cli/language_option.h"
#include "app/cli/parser_words.h"
#include "app/cli/report_options.h"
#include "core/base/language.h"
#include "core/base/languages.h"
#include "core/message/oom_message.h"
#include "core/pipeline/saved_rules.h"
#include "core/plan/capacity_text.h"
#include "ui/models/language.h"
#include "ui/models/text.h"
#include "ui/views/window/main_window.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tidemark::app {
namespace {

/// The words as they stand on the command line.
struct Words {
    std::string size;
    std::string theme;
    std::string language;
    std::string bands;
    std::string capacity;
    std::string message;
    std::string reader = "auto";
    std::vector<std::string> config;
    int gpus = 0;
    std::vector<std::string> rules;
};

std::string versionText()
{
    const reader::PythonInfo python = reader::pythonInfo();
    return fmt::format("tidemark {}\nQt {}\nreader: cpython {} ({})", TIDEMARK_VERSION, qVersion(),
                       python.version, python.library);
}

void addOptions(CLI::App& program, Options& options, Words& words)
{
    program.add_option("FILE", options.files, say("Snapshots to open; two are compared"));
    program.add_option("--watch", options.watch,
                       say("Local or remote folder; new snapshots in it open automatically"));
    program.add_flag("--example", options.example, say("Open the bundled example"));
    program.add_option(
        "--report", options.report,
        say("Write the report of FILE, of two compared, or of a job's folder, as PDF "
            "or, by its ending, .html or .md, and exit; needs no display"));
    program
        .add_flag("--single-reports", options.single_reports,
                  say("With two runs: append the report of each to the comparison"))
        ->needs("--report");
    cli::addRedactOption(program, options.redacts);
    cli::addPaperOption(program, options.paper);
    for (const char* const name : {"--redact", "--paper"}) {
        program.get_option(name)->needs("--report");
    }
    program.add_option("--screenshot", options.screenshot,
                       say("Write a PNG of the window and exit; needs no display"));
    program
        .add_option("--view", options.view, say("What --screenshot shows: overview, timeline, …"))
        ->needs("--screenshot");
    program.add_option(
        "--bands", words.bands,
        say("Group the timeline's bands by bucket, module, stack, size, lifetime, stream or pool"));
    program.add_option("--size", words.size, say("Window size, such as 1500x860"));
    program.add_option("--theme", words.theme, say("light or dark; default: like the desktop"));
    program.add_option(
        "--language", words.language,
        say("Language of the window, the picture or the report: {}; default: in the window as "
            "chosen there, else the system's; pictures and reports in English",
            languageIds()));
    program.add_option("--message", words.message,
                       say("OOM message, or @LOG: a file that contains it"));
    program.add_option("--capacity", words.capacity, cli::capacityHelp());
    program.add_option("--gpus", words.gpus, say("Number of GPUs available"))
        ->check(cli::numberIn(1, 1000000));
    program.add_option("--config", words.config, cli::configHelp())->allow_extra_args(false);
    program
        .add_option("--rules", words.rules, say("Rules file that corrects labels; can be repeated"))
        ->allow_extra_args(false);
    program.add_flag_callback(
        "--no-saved-rules", [&options] { options.rules.use_saved = false; },
        say("Neither apply nor change the corrections saved beside the snapshot"));
    program.add_option("--reader", words.reader, say("auto, cpython or native"));
    program.set_version_flag(
        "-v,--version", [] { return versionText(); },
        say("Display program version information and exit"));
    program.footer(
        say("Exit status: 0 success, 2 unusable input or arguments, 3 an internal error."));
}

[[noreturn]] void refuse(const std::string& option, const std::string& sentence)
{
    throw CLI::ValidationError(option, sentence);
}

void readSize(const std::string& words, Options& options)
{
    if (words.empty()) {
        return;
    }
    options.has_size = true;
    const char* const end = words.data() + words.size();
    const auto first = std::from_chars(words.data(), end, options.width);
    const bool has_cross = first.ec == std::errc() && first.ptr != end && *first.ptr == 'x';
    const auto second = has_cross ? std::from_chars(first.ptr + 1, end, options.height) : first;
    const auto is_sensible = [](int length) { return length >= 300 && length <= 16384; };
    if (!has_cross || second.ec != std::errc() || second.ptr != end || !is_sensible(options.width)
        || !is_sensible(options.height)) {
        refuse("--size", say("'{}' is not a size; write 1500x860.", words));
    }
}

void readInput(const Words& words, diagnose::UserInput& input)
{
    input.gpus = words.gpus;
    if (!words.capacity.empty()) {
        const auto capacity = plan::parseCapacity(words.capacity);
        if (!capacity.has_value()) {
            refuse("--capacity", capacity.error().message);
        }
        capacity.value().giveTo(input);
    }
    if (!words.config.empty()) {
        const auto config = cli::configFrom(words.config);
        if (!config.has_value()) {
            refuse("--config", config.error().message);
        }
        input.config = config.value();
        input.config_name = cli::fileNamesIn(words.config);
    }
    if (!words.message.empty()) {
        const Result<std::string> message = cli::textOrFile(words.message);
        if (!message.has_value()) {
            refuse("--message", message.error().message);
        }
        if (!diagnose::parseOomMessage(message.value())) {
            refuse("--message",
                   say("No OOM message found; give the line that begins with 'CUDA out of memory', "
                       "or the whole log as @LOG."));
        }
        input.message = message.value();
    }
}

void readRules(const Words& words, pipeline::RuleOptions& options)
{
    options.folder = pipeline::userRulesFolder();
    for (const std::string& file : words.rules) {
        const auto rules = pipeline::readRulesFile(file);
        if (!rules.has_value()) {
            refuse("--rules", rules.error().message);
        }
        options.rules.insert(options.rules.end(), rules.value().begin(), rules.value().end());
    }
}

void understand(const Words& words, Options& options)
{
    readRules(words, options.rules);
    readSize(words.size, options);
    readInput(words, options.input);
    if (words.theme == "light" || words.theme == "dark") {
        options.theme = words.theme == "light" ? ui::ThemeChoice::light : ui::ThemeChoice::dark;
    } else if (!words.theme.empty()) {
        refuse("--theme", say("Unknown value '{}'; use {}.", words.theme, "light, dark"));
    }
    options.language = ui::text(words.language);
    if (!words.language.empty() && !ui::isLanguage(options.language)) {
        refuse("--language", say("Unknown value '{}'; use {}.", words.language, languageIds()));
    }
    options.bands = query::bandByFromId(words.bands);
    if (!words.bands.empty() && !options.bands) {
        refuse(
            "--bands",
            say("Unknown grouping '{}'; use bucket, module, stack, size, lifetime, stream or pool.",
                words.bands));
    }
    const auto reader = reader::readerChoiceFromName(words.reader);
    if (!reader) {
        refuse("--reader",
               say("Unknown value '{}'; use {}.", words.reader, "auto, cpython, native"));
    }
    options.read.reader = *reader;
    const QStringList views = ui::MainWindow::viewNames() + ui::MainWindow::comparisonViewNames()
        + ui::MainWindow::dialogNames();
    if (!views.contains(ui::text(options.view))) {
        refuse("--view",
               say("Unknown view '{}'; use one of {}.", options.view,
                   ui::utf8(views.join(QStringLiteral(", ")))));
    }
    const std::size_t files = options.files.size() + (options.example ? 1 : 0);
    if (!options.report.empty() && !options.screenshot.empty()) {
        refuse("--report", say("Use either {} or {}, not both.", "--report", "--screenshot"));
    }
    if (!options.report.empty() && files < 1) {
        refuse("--report", say("Name a FILE to report, two to compare, or a job's folder."));
    }
    if (!options.screenshot.empty() && files == 0 && options.view != "start") {
        refuse("--screenshot", say("Name a FILE to show, or use --view start."));
    }
}

/// Help and errors are in the language that the arguments ask for, too. One that is none is refused
/// later.
void speakAsAsked(int argc, char** argv)
{
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    std::erase_if(words, [](const std::string& word) { return word.ends_with(".json"); });
    static_cast<void>(cli::useLanguageIn(words));
}

} // namespace

std::variant<Options, Exit> parseArguments(int argc, char** argv)
{
    speakAsAsked(argc, argv);
    CLI::App program(say("Shows what filled the GPU in a PyTorch run, when, why, and how to fix "
                         "it. It sends nothing and runs no code from files."),
                     "tidemark");
    program.set_help_flag("-h,--help", say("Print this help message and exit"));
    Options options;
    options.rules.use_saved = true;
    Words words;
    addOptions(program, options, words);
    cli::translateHelp(program);
    try {
        program.parse(argc, argv);
        understand(words, options);
    } catch (const CLI::ParseError& error) {
        Exit exit;
        if (error.get_exit_code() == 0) {
            std::ostringstream output;
            program.exit(error, output, output);
            exit.output = output.str();
            return exit;
        }
        exit.code = kUnusable;
        exit.error = cli::sentenceOf(program, error);
        return exit;
    }
    return options;
}

} // namespace tidemark::app
