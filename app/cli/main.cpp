// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "core/reader/reader.h"

#include <fmt/format.h>

#include <exception>
#include <iostream>
#include <new>
#include <string>

namespace tidemark::cli {
namespace {

std::string versionText()
{
    const reader::PythonInfo python = reader::pythonInfo();
    return fmt::format("tidemark-cli {}\nreader: cpython {} ({})", TIDEMARK_VERSION, python.version,
                       python.library);
}

int runProgram(int argc, char** argv)
{
    CLI::App program("Analyzes PyTorch GPU memory snapshots: what filled the card, when, why, and "
                     "what to do. No code from a file is ever run.",
                     "tidemark-cli");
    program.require_subcommand(1);
    program.set_version_flag("--version", [] { return versionText(); });
    program.footer("Exit status: 0 success, 2 unusable input or arguments, 3 an internal error.");
    Run run;
    addSummary(program, run);
    addTimeline(program, run);
    addAllocations(program, run);
    addLabels(program, run);
    addDiagnose(program, run);
    addPredict(program, run);
    addReport(program, run);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            return program.exit(error); // --help, --version
        }
        printError("",
                   fmt::format("{} (tidemark-cli --help shows what is possible)", error.what()));
        return kUnusable;
    }
    const int exit_code = run();
    std::cout.flush();
    if (!std::cout) {
        printError("", "The output cannot be written; check the space on the disk.");
        return kUnusable;
    }
    return exit_code;
}

} // namespace
} // namespace tidemark::cli

int main(int argc, char** argv)
{
    using namespace tidemark::cli;
    std::ios::sync_with_stdio(false);
    try {
        return runProgram(argc, argv);
    } catch (const std::bad_alloc&) {
        printError("",
                   "This machine has not enough free memory; close other programs or use a "
                   "machine with more memory.");
        return kUnusable;
    } catch (const std::exception& error) {
        printError("",
                   std::string("Internal error: ") + error.what()
                       + "; please report it with the command you ran.");
        return kInternal;
    }
}
