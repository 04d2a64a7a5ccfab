// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "app/cli/text_input.h"
#include "core/base/new_file.h"
#include "core/reader/reader.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>

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
std::string wrongCommand(const CLI::App& program, int argc, char** argv)
{
    if (argc < 2) {
        return "Name a command, such as 'tidemark-cli diagnose FILE'";
    }
    const std::string word = argv[1];
    const auto has_word = [&word](const CLI::App* command) { return command->get_name() == word; };
    if (word.starts_with('-') || !program.get_subcommands(has_word).empty()) {
        return {};
    }
    return fmt::format("There is no command '{}'", word);
}

/// `exit_code`, unless something of the output was lost.
int outputExitCode(int exit_code)
{
    std::cout.flush();
    if (!std::cout) {
        printError("", "The output cannot be written; check the space on the disk.");
        return kUnusable;
    }
    return exit_code;
}

int runProgram(int argc, char** argv)
{
    removeUnfinishedFilesOnSignals();
    static constexpr std::string_view kHint = "(tidemark-cli --help shows what is possible)";
    CLI::App program("Analyzes PyTorch GPU memory snapshots: what filled the card, when, why, and "
                     "what to do. No code from a file is ever run.",
                     "tidemark-cli");
    program.require_subcommand(1);
    program.set_version_flag("--version", [] { return versionText(); });
    program.footer("Exit status: 0 success, 1 a plan does not fit its card, 2 unusable input or "
                   "arguments, 3 an internal error.");
    Run run;
    addSummary(program, run);
    addTimeline(program, run);
    addAllocations(program, run);
    addLabels(program, run);
    addDiagnose(program, run);
    addExplain(program, run);
    addPredict(program, run);
    addPlan(program, run);
    addProgram(program, run);
    addCompare(program, run);
    addSimulate(program, run);
    addStacks(program, run);
    addStates(program, run);
    addWatch(program, run);
    addReport(program, run);
    addCaptureModule(program, run);
    if (const std::string reason = wrongCommand(program, argc, argv); !reason.empty()) {
        printError("", fmt::format("{} {}.", reason, kHint));
        return kUnusable;
    }
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            program.exit(error); // --help, --version
            return outputExitCode(kSuccess);
        }
        printError("", fmt::format("{} {}", error.what(), kHint));
        return kUnusable;
    }
    return outputExitCode(run());
}

} // namespace
} // namespace tidemark::cli

int main(int argc, char** argv)
{
    using namespace tidemark::cli;
    keepStandardStreams();
    std::ios::sync_with_stdio(false);
    try {
        return runProgram(argc, argv);
    } catch (const std::bad_alloc&) {
        // Nothing is put together here, which would take memory.
        std::fputs("tidemark-cli: This machine has not enough free memory; close other programs or "
                   "use a machine with more memory.\n",
                   stderr);
        return kUnusable;
    } catch (const std::exception& error) {
        printError("",
                   std::string("Internal error: ") + error.what()
                       + "; please report it with the command you ran.");
        return kInternal;
    }
}
