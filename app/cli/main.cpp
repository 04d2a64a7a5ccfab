// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/bounded_output.h"
#include "app/cli/commands.h"
#include "app/cli/language_option.h"
#include "app/cli/parser_words.h"
#include "app/cli/text_input.h"
#include "core/base/language.h"
#include "core/base/new_file.h"
#include "core/reader/reader.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::cli {
namespace {

std::string versionText()
{
    const reader::PythonInfo python = reader::pythonInfo();
    if (python.version.empty()) {
        return fmt::format("tidemark-cli {}\nreader: native (static, no Python built in)",
                           TIDEMARK_VERSION);
    }
    return fmt::format("tidemark-cli {}\nreader: cpython {} ({})", TIDEMARK_VERSION, python.version,
                       python.library);
}

/// Why the words cannot be a call: a sentence better than the parser's own; empty if they may be.
std::string wrongCommand(const CLI::App& program, const std::vector<std::string>& arguments)
{
    if (arguments.empty()) {
        return say("Give a command, such as 'tidemark-cli diagnose FILE'.");
    }
    const std::string& word = arguments.front();
    const auto has_word = [&word](const CLI::App* command) { return command->get_name() == word; };
    if (word.starts_with('-') || !program.get_subcommands(has_word).empty()) {
        return {};
    }
    std::vector<std::string> known;
    for (const CLI::App* const command : program.get_subcommands(nullptr)) {
        known.push_back(command->get_name());
    }
    const std::string meant = likeliest(word, known);
    return meant.empty() ? say("Unknown command '{}'.", word)
                         : say("Unknown command '{}'. Did you mean '{}'?", word, meant);
}

/// `exit_code`, unless something of the output was lost.
int outputExitCode(int exit_code)
{
    std::cout.flush();
    if (!std::cout) {
        printError("", say("Cannot write the output; check free disk space."));
        return kUnusable;
    }
    return exit_code;
}

/// --max-bytes, where a command prints JSON.
void addMaxBytes(CLI::App& command, std::size_t& most)
{
    constexpr std::int64_t kLeast = 200;
    CLI::Option* const json = command.get_option_no_throw("--json");
    if (json != nullptr) {
        command
            .add_option("--max-bytes", most,
                        say("At most so many bytes per JSON answer: the longest lists are cut, "
                            "and \"cut\" says by how much"))
            ->check(cli::numberIn(kLeast, std::numeric_limits<std::int32_t>::max()))
            ->needs(json);
    }
}

int runProgram(std::vector<std::string> arguments)
{
    removeUnfinishedFilesOnSignals();
    if (const auto language = useLanguageIn(arguments); !language.has_value()) {
        printError("", fmt::format("--language: {}", language.error().message));
        return kUnusable;
    }
    CLI::App program(say("Analyzes PyTorch GPU memory snapshots: what filled the GPU, when, why, "
                         "and what to do. Never runs code from a file."),
                     "tidemark-cli");
    program.require_subcommand(1);
    program.set_help_flag("-h,--help", say("Print this help message and exit"));
    program.set_version_flag(
        "--version", [] { return versionText(); },
        say("Display program version information and exit"));
    program.footer(
        say("Exit status: 0 success, 1 a plan does not fit its GPU, a rank ran out or a budget is "
            "broken, 2 unusable input or arguments, 3 an internal error."));
    addLanguageOption(program);
    Run run;
    std::size_t most = 0; // Bytes of an answer in JSON; 0: any.
    for (const Command& command : kCommands) {
        CLI::App& added = *program.add_subcommand(std::string(command.name),
                                                  std::string(translated(command.sentence)));
        command.add(added, run);
        addMaxBytes(added, most);
    }
    translateHelp(program);
    if (const std::string reason = wrongCommand(program, arguments); !reason.empty()) {
        printError("", fmt::format("{} {}", reason, whatShowsMore(program)));
        return kUnusable;
    }
    try {
        std::ranges::reverse(arguments); // the parser takes them from the back
        program.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            program.exit(error); // --help, --version
            return outputExitCode(kSuccess);
        }
        printError("", sentenceOf(program, error));
        return kUnusable;
    }
    BoundedOutput output(std::cout, most);
    const int exit_code = outputExitCode(run());
    return exit_code == kSuccess && output.hasFailed() ? kUnusable : exit_code;
}

/// Large columns of one thread are not kept in its heap, where no other thread can have them: a
/// summary of 6.5 million events then takes 664 instead of 722 MiB. Other C libraries keep none.
void returnLargeBlocks()
{
#ifdef M_MMAP_THRESHOLD
    constexpr int kLarge = 4 << 20; // bytes
    mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}

} // namespace
} // namespace tidemark::cli

int main(int argc, char** argv)
{
    using namespace tidemark::cli;
    keepStandardStreams();
    returnLargeBlocks();
    std::ios::sync_with_stdio(false);
    try {
        return runProgram({argv + std::min(argc, 1), argv + argc});
    } catch (const std::bad_alloc&) {
        // Nothing is put together here, which would take memory.
        const std::string_view words = tidemark::translated(
            "Not enough free memory; close other programs or use a larger machine.");
        std::fprintf(stderr, "tidemark-cli: %.*s\n", static_cast<int>(words.size()), words.data());
        return kUnusable;
    } catch (const std::exception& error) {
        printError("",
                   tidemark::say("Internal error: {}; please report it with the command you ran.",
                                 error.what()));
        return kInternal;
    }
}
