// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/session.h"

#include "app/cli/remote_input.h"
#include "core/base/language.h"
#include "core/report/json.h"
#include "core/report/text_tools.h"

#include <cstdio>
#include <iostream>
#include <new>

namespace tidemark::cli {

ExitCode exitCodeFor(const Error& error)
{
    return error.code == ErrorCode::internal ? kInternal : kUnusable;
}

void printError(const std::string& file, const std::string& sentence)
{
    std::string line = "tidemark-cli: ";
    if (!file.empty()) {
        line += report::visibleText(file) + ": ";
    }
    line += report::visibleText(sentence) + '\n';
    std::cout.flush();
    std::fputs(line.c_str(), stderr);
}

void printErrorJson(const std::string& file, const Error& error)
{
    std::cout << report::toString({{"file", file}, {"error", error.message}}) << '\n';
}

int failed(const std::string& file, const Error& error)
{
    printError(file, error.message);
    return exitCodeFor(error);
}

Result<pipeline::Options> pipelineOptions(const CommonOptions& options)
{
    const auto choice = reader::readerChoiceFromName(options.reader);
    if (!choice) {
        return Error{ErrorCode::badArgument, say("--reader must be auto, cpython or native."), {}};
    }
    pipeline::Options made;
    made.read.reader = *choice;
    made.input = options.input;
    made.rules = options.rules;
    made.last = options.last;
    return made;
}

namespace {

Result<diagnose::Analysis> openInput(const NamedInput& named, const CommonOptions& options)
{
    const Result<pipeline::Options> usual = pipelineOptions(options);
    if (!usual.has_value()) {
        return usual.error();
    }
    return readInput(named, usual.value(),
                     [&named](const std::string& notice) { printError(named.name, notice); });
}

Result<diagnose::Analysis> called(Result<diagnose::Analysis> analysis, const std::string& name)
{
    if (analysis.has_value()) {
        callAsNamed(analysis.value(), name);
    }
    return analysis;
}

} // namespace

Result<diagnose::Analysis> openCopy(const std::string& file, const CommonOptions& options)
{
    return openInput({file, remote::farAddress(file)}, options);
}

Result<diagnose::Analysis> open(const std::string& file, const CommonOptions& options)
{
    return called(openCopy(file, options), file);
}

int forEachFile(const CommonOptions& options, const Print& print)
{
    int exit_code = kSuccess;
    bool is_first = true;
    for (const std::string& file : options.files) {
        const std::vector<NamedInput> inputs = namedInputs(file);
        for (const NamedInput& input : inputs) {
            if (!options.json && !is_first) {
                std::cout << '\n';
            }
            is_first = false;
            const Result<diagnose::Analysis> analysis =
                called(openInput(input, options), input.name);
            const Result<Done> printed =
                analysis.has_value() ? print(analysis.value()) : Result<Done>(analysis.error());
            if (printed.has_value()) {
                continue;
            }
            const Error& error = printed.error();
            if (options.json && options.files.size() + inputs.size() > 2) {
                printErrorJson(input.name, error);
            }
            printError(input.name, error.message);
            exit_code = exitCodeFor(error);
        }
    }
    return exit_code;
}

} // namespace tidemark::cli
