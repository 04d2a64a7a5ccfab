// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "app/cli/user_input.h"
#include "core/base/language.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/predict/change_words.h"
#include "core/report/documents.h"
#include "core/report/json.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

struct PredictOptions : CommonOptions {
    std::string apply;
    std::optional<std::int32_t> device;
    UserInputOptions user;
    std::vector<diagnose::Change> changes;
    bool laws = false; ///< Alone.
};

Result<std::vector<diagnose::Prediction>> predictions(const PredictOptions& options,
                                                      const diagnose::Analysis& analysis,
                                                      const std::vector<std::size_t>& devices)
{
    std::vector<diagnose::Prediction> found;
    for (const std::size_t d : devices) {
        if (options.device || !analysis.snapshot->devices[d].isEmpty()) {
            if (std::string why = diagnose::objectionTo(analysis, d, options.changes);
                !why.empty()) {
                return Error{ErrorCode::badArgument, std::move(why), {}};
            }
            found.push_back(
                diagnose::predict(analysis, d, options.changes,
                                  options.laws ? diagnose::Engine::laws : diagnose::Engine::walk));
        }
    }
    return found;
}

int predict(const PredictOptions& options)
{
    return forEachFile(options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
        const auto devices = report::chosenDevices(analysis, options.device);
        if (!devices.has_value()) {
            return devices.error();
        }
        const auto found = predictions(options, analysis, devices.value());
        if (!found.has_value()) {
            return found.error();
        }
        if (options.json) {
            std::cout << report::toString(report::predictionsJson(analysis, found.value())) << '\n';
        } else {
            std::cout << report::toText(report::predictionDocument(analysis, found.value()));
        }
        return Done{};
    });
}

/// Every change with what it takes and a sentence.
std::string changeList()
{
    std::string list = say("Changes (R: ratio to the recorded run):");
    for (const diagnose::ChangeWord& word : diagnose::changeWords()) {
        list += fmt::format("\n  {}\n      {}", diagnose::grammarOf(word), translated(word.help));
    }
    return list;
}

} // namespace

void addPredict(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<PredictOptions>();
    options->last = pipeline::Stage::programs;
    addCommonOptions(command, *options);
    command.add_option("--apply", options->apply,
                       say("Comma-separated changes of the list below; default: the run as "
                           "recorded"));
    command.add_flag("--laws", options->laws,
                     say("Asks no plan that fits the recording, only the laws of sizes"));
    command.footer(changeList());
    addUserInputOptions(command, options->user, WithMessage::no);
    addDeviceOption(command, options->device);
    command.callback([options, &run] {
        options->input = userInput(options->user);
        if (!options->apply.empty()) {
            options->changes = valueOrThrow(diagnose::parseChanges(options->apply), "--apply");
        }
        run = [options] { return predict(*options); };
    });
}

} // namespace tidemark::cli
