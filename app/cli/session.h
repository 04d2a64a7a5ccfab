// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/pipeline/pipeline.h"
#include "core/pipeline/saved_rules.h"

#include <functional>
#include <string>
#include <vector>

namespace tidemark::cli {

/// How the program ends.
enum ExitCode : int {
    kSuccess = 0,
    kCheckFailed = 1, ///< What was asked for does not fit.
    kUnusable = 2, ///< Input or arguments.
    kInternal = 3,
};

/// The exit code that an error deserves.
ExitCode exitCodeFor(const Error& error);

/// "tidemark-cli: FILE: sentence" on standard error, as one line; no file: without it.
void printError(const std::string& file, const std::string& sentence);
/// The line of a file that failed, among the JSON Lines of several.
void printErrorJson(const std::string& file, const Error& error);
/// Says what failed, and returns the exit code that it deserves.
int failed(const std::string& file, const Error& error);

/// What every command takes.
struct CommonOptions {
    std::vector<std::string> files;
    bool json = false;
    std::string reader = "auto";
    diagnose::UserInput input; ///< Message, capacity and GPUs, where the command takes them.
    /// How people corrected the labels.
    pipeline::RuleOptions rules{false, pipeline::userRulesFolder(), {}};
    pipeline::Stage last = pipeline::Stage::diagnosis; ///< What the command needs.
};

/// How files are read and analysed. Errors: badArgument for an unknown reader.
Result<pipeline::Options> pipelineOptions(const CommonOptions& options);

/// Reads and analyses one file; that of another machine under its copy's name, beside which lies
/// what people noted about it.
Result<diagnose::Analysis> openCopy(const std::string& file, const CommonOptions& options);
/// As that; the analysis has the name that was given.
Result<diagnose::Analysis> open(const std::string& file, const CommonOptions& options);

/// Prints what a command says about one file.
using Print = std::function<Result<Done>(const diagnose::Analysis&)>;

/// Opens each file and prints it. One that fails does not stop the others: it is named on standard
/// error, and among several files printed as JSON it has its own line. Returns the exit code: that
/// of the last failure.
int forEachFile(const CommonOptions& options, const Print& print);

} // namespace tidemark::cli
