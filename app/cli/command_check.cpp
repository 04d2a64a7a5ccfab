// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/parser_words.h"
#include "core/base/language.h"
#include "core/base/new_file.h"
#include "core/base/output_check.h"
#include "core/check/baseline.h"
#include "core/check/check_outputs.h"
#include "core/check/github.h"
#include "core/plan/capacity_text.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

namespace tidemark::cli {
namespace {

struct CheckOptions : CommonOptions {
    std::string budgets;
    std::string max_peak;
    std::string junit;
    std::string bencher;
    std::vector<std::string> baselines;
    std::optional<double> tolerance_percent;
    bool no_oom = false;
    bool github = false;
    std::vector<check::Budget> limits; ///< All but those learnt.
};

Result<std::vector<check::Budget>> namedBudgets(const CheckOptions& options)
{
    std::vector<check::Budget> limits;
    if (!options.budgets.empty()) {
        const Result<std::string> text = fileOrText(options.budgets);
        if (!text.has_value()) {
            return text.error();
        }
        Result<std::vector<check::Budget>> read = check::readBudgets(text.value());
        if (!read.has_value()) {
            return read;
        }
        limits = std::move(read).value();
    }
    if (!options.max_peak.empty()) {
        check::Budget peak;
        peak.limit = valueOrThrow(plan::parseBytes(options.max_peak), "--max-peak").value;
        limits.push_back(peak);
    }
    if (options.no_oom) {
        check::Budget ooms;
        ooms.measure = check::Measure::ooms;
        limits.push_back(ooms);
    }
    return limits;
}

const char* environment(const char* name)
{
    const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): before threads
    return value == nullptr ? "" : value;
}

/// Other steps write to the same file, so it is added to. Without one (not on GitHub) there is
/// nothing to do.
bool addSummaryOfStep(const std::string& text)
{
    const std::string file = environment("GITHUB_STEP_SUMMARY");
    if (file.empty()) {
        return true;
    }
    std::ofstream summary(file, std::ios::app | std::ios::binary);
    summary << text;
    summary.close();
    return !summary.fail();
}

/// What the files that are asked for say; the exit code of what failed, else 0.
int writeOutputs(const CheckOptions& options, const std::vector<check::Verdict>& verdicts)
{
    const auto write = [](const std::string& file, const std::string& content) {
        const Result<Done> written =
            file.empty() ? Result<Done>(Done{}) : writeNewFile(file, content);
        return written.has_value() ? kSuccess : failed(file, writeError(written.error()));
    };
    int exit_code = write(options.junit, check::checkJunit(verdicts));
    exit_code = std::max(
        exit_code, write(options.bencher, report::toString(check::checkBencher(verdicts)) + '\n'));
    if (options.github) {
        // The runner reads both streams; standard output is JSON's.
        (options.json ? std::cerr : std::cout)
            << check::githubAnnotations(verdicts, environment("GITHUB_WORKSPACE"));
        if (!addSummaryOfStep(check::githubSummary(verdicts))) {
            printError(environment("GITHUB_STEP_SUMMARY"), say("Cannot write the step's summary."));
            exit_code = std::max<int>(exit_code, kUnusable);
        }
    }
    return exit_code;
}

struct Baselines {
    std::vector<check::Budget> learnt;
    std::optional<diagnose::Analysis> typical; ///< What a run is compared with.
};

Result<Baselines> readBaselines(const CheckOptions& options, std::string& failed_file)
{
    std::vector<std::vector<check::DeviceMeasures>> measures;
    for (const std::string& file : options.baselines) {
        const Result<diagnose::Analysis> analysis = open(file, options);
        if (!analysis.has_value()) {
            failed_file = file;
            return analysis.error();
        }
        measures.push_back(check::measuresOf(analysis.value()));
    }
    Baselines baselines;
    if (!measures.empty()) {
        const auto tolerance = options.tolerance_percent
            ? std::optional(*options.tolerance_percent / 100)
            : std::nullopt;
        baselines.learnt = check::learnBudgets(measures, tolerance);
        // Only one is kept in memory.
        const std::string& middle = options.baselines[check::typicalBaseline(measures)];
        Result<diagnose::Analysis> typical = open(middle, options);
        if (!typical.has_value()) {
            failed_file = middle;
            return typical.error();
        }
        baselines.typical = std::move(typical).value();
    }
    return baselines;
}

/// Before the work: whether what is asked for may be written.
Result<Done> checkOutputs(const CheckOptions& options)
{
    std::vector<std::filesystem::path> inputs(options.files.begin(), options.files.end());
    inputs.insert(inputs.end(), options.baselines.begin(), options.baselines.end());
    inputs.emplace_back(options.budgets.starts_with('@') ? options.budgets.substr(1)
                                                         : options.budgets);
    for (const auto& [file, kind] : {std::pair(options.junit, OutputKind::junit),
                                     std::pair(options.bencher, OutputKind::metrics)}) {
        Result<Done> may = file.empty() ? Result<Done>(Done{}) : checkOutput(file, kind, inputs);
        if (!may.has_value()) {
            return may;
        }
    }
    return Done{};
}

int checkRuns(const CheckOptions& options)
{
    if (const Result<Done> may = checkOutputs(options); !may.has_value()) {
        return failed("", may.error());
    }
    std::string failed_file;
    const Result<Baselines> baselines = readBaselines(options, failed_file);
    if (!baselines.has_value()) {
        return failed(failed_file, baselines.error());
    }
    std::vector<check::Budget> budgets = options.limits;
    budgets.insert(budgets.end(), baselines.value().learnt.begin(), baselines.value().learnt.end());
    const auto& typical = baselines.value().typical;
    std::vector<check::Verdict> verdicts;
    int exit_code = kSuccess;
    for (const std::string& file : options.files) {
        const Result<diagnose::Analysis> analysis = open(file, options);
        Result<std::vector<check::Verdict>> judged = analysis.has_value()
            ? check::judge(analysis.value(), budgets)
            : Result<std::vector<check::Verdict>>(analysis.error());
        if (judged.has_value() && judged.value().empty()) {
            judged = Error{ErrorCode::badArgument,
                           say("None of the baselines' devices has memory in this file."),
                           {}};
        }
        if (!judged.has_value()) {
            exit_code = std::max(exit_code, failed(file, judged.error()));
            continue;
        }
        check::findPlaces(judged.value(), analysis.value(), typical ? &*typical : nullptr);
        verdicts.insert(verdicts.end(), judged.value().begin(), judged.value().end());
    }
    std::vector<std::string> notes;
    if (options.baselines.size() == 1 && !options.tolerance_percent) {
        notes.push_back(say("One baseline shows no flicker; each figure may grow by {}.",
                            formatPercent(check::kDefaultTolerance)));
    }
    // The runner reads what is said, too, and names from a file are in it.
    const auto said = [&](std::string text) {
        return options.github ? check::withoutOldCommands(std::move(text), options.json) : text;
    };
    if (options.json) {
        std::cout << said(report::toString(check::checkJson(verdicts, notes))) << '\n';
    } else if (!verdicts.empty()) {
        std::cout << said(check::checkText(verdicts, notes));
    }
    exit_code = std::max(exit_code, writeOutputs(options, verdicts));
    const bool is_broken =
        std::ranges::any_of(verdicts, [](const check::Verdict& v) { return !v.holds(); });
    return exit_code != kSuccess ? exit_code : is_broken ? kCheckFailed : kSuccess;
}

} // namespace

void addCheck(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<CheckOptions>();
    options->last = pipeline::Stage::programs;
    addCommonOptions(command, *options);
    command.get_option("FILE")->description(say("The recordings to check"));
    command.add_option("--budgets", options->budgets,
                       say("A file of limits, or its text: "
                           "{{\"tidemark_budgets\": 1, \"budgets\": [{{\"peak\": \"20 GiB\"}}]}}"));
    command.add_option(
        "--baseline", options->baselines,
        say("Earlier recordings of the same run; several show how much it flickers"));
    command
        .add_option("--tolerance", options->tolerance_percent,
                    say("How many percent a figure may be above the largest baseline; without it "
                        "learnt from several, 2 for one"))
        ->check(fractionIn(0, 1000));
    command.add_option("--max-peak", options->max_peak,
                       say("The peak of each device, such as 20GiB"));
    command.add_flag("--no-oom", options->no_oom, say("No OOM event"));
    command.add_option("--junit", options->junit, say("Also writes JUnit's XML"));
    command.add_option("--bencher", options->bencher,
                       say("Also writes the figures as JSON for Bencher"));
    command.add_flag("--github", options->github,
                     say("For GitHub Actions: annotations, and a table in the step's summary"));
    command.callback([options, &run] {
        options->limits = valueOrThrow(namedBudgets(*options), "--budgets");
        if (options->limits.empty() && options->baselines.empty()) {
            throw CLI::ValidationError("check",
                                       say("give --budgets, --baseline, --max-peak or --no-oom"));
        }
        run = [options] { return checkRuns(*options); };
    });
}

} // namespace tidemark::cli
