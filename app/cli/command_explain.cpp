// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "core/base/language.h"
#include "core/message/job_logs.h"
#include "core/plan/capacity_text.h"
#include "core/report/explanation.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::cli {
namespace {

struct ExplainArguments {
    std::vector<std::string> logs;
    std::string capacity;
    bool json = false;
};

Result<std::string> textOf(const std::string& log)
{
    Result<std::string> text = textOrFile("@" + log);
    if (text.has_value() && text.value().find_first_not_of(" \t\r\n") == std::string::npos) {
        return Error{ErrorCode::empty,
                     say("No text to explain; give a log, or paste a message into the input."),
                     {}};
    }
    return text;
}

void print(const ExplainArguments& options, const diagnose::JobLog& log)
{
    if (options.json) {
        std::cout << report::toString(report::explanationJson(log.explanation, log.name)) << '\n';
    } else {
        std::cout << report::toText(report::explanationDocument(
            log.explanation, log.name == "-" ? say("Standard input") : log.name));
    }
}

void printJobJson(const std::vector<diagnose::JobLog>& logs)
{
    const std::optional<std::size_t> first = diagnose::firstToFail(logs);
    for (std::size_t i = 0; i < logs.size(); ++i) {
        report::Json json = report::explanationJson(logs[i].explanation, logs[i].name);
        json["failed_at"] =
            logs[i].failed_at ? report::Json(logs[i].failed_at_text) : report::Json(nullptr);
        json["is_first_to_fail"] = first ? report::Json(first == i) : report::Json(nullptr);
        std::cout << report::toString(json) << '\n';
    }
}

/// Several logs of one job: which failed first, and then each, that one ahead.
void printJob(const ExplainArguments& options, std::vector<diagnose::JobLog> logs)
{
    const std::optional<std::size_t> first = diagnose::firstToFail(logs);
    std::cout << report::toText(report::jobLogsDocument(logs, first)) << '\n';
    if (first) {
        std::rotate(logs.begin(), logs.begin() + static_cast<std::ptrdiff_t>(*first),
                    logs.begin() + static_cast<std::ptrdiff_t>(*first) + 1);
    }
    for (std::size_t i = 0; i < logs.size(); ++i) {
        std::cout << (i > 0 ? "\n" : "");
        print(options, logs[i]);
    }
}

int explain(const ExplainArguments& options, const diagnose::ExplainOptions& given)
{
    std::vector<diagnose::JobLog> logs;
    int exit_code = kSuccess;
    const bool are_several = options.logs.size() > 1;
    for (const std::string& name : options.logs) {
        const Result<std::string> text = textOf(name);
        if (!text.has_value()) {
            if (options.json && are_several) {
                printErrorJson(name, text.error());
            }
            printError(are_several ? name : "", text.error().message);
            exit_code = kUnusable;
            continue;
        }
        logs.push_back(diagnose::explainOfJob(name, text.value(), given));
    }
    if (options.json && are_several) {
        printJobJson(logs);
    } else if (logs.size() > 1) {
        printJob(options, std::move(logs));
    } else if (!logs.empty()) {
        print(options, logs.front());
    }
    return exit_code;
}

} // namespace

void addExplain(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<ExplainArguments>();
    command.add_option("LOG", options->logs,
                       say("File with the text, compressed or not; - or none: standard input; "
                           "several: the logs of one job"));
    command.add_flag("--json", options->json, say("Print JSON instead of text"));
    command.add_option("--capacity", options->capacity, capacityHelp());
    command.callback([options, &run] {
        if (options->logs.empty()) {
            options->logs = {"-"};
        }
        diagnose::ExplainOptions given;
        if (!options->capacity.empty()) {
            given.capacity =
                valueOrThrow(plan::parseCapacity(options->capacity), "--capacity").bytes;
        }
        run = [options, given] { return explain(*options, given); };
    });
}

} // namespace tidemark::cli
