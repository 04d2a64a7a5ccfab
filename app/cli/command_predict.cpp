// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "app/cli/user_input.h"
#include "core/base/language.h"
#include "core/diagnose/diagnose.h"
#include "core/report/documents.h"
#include "core/report/json.h"

#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

struct PredictOptions : CommonOptions {
    std::string apply;
    std::optional<std::int32_t> device;
    UserInputOptions user;
    std::vector<diagnose::Change> changes;
};

std::vector<diagnose::Prediction> predictions(const PredictOptions& options,
                                              const diagnose::Analysis& analysis,
                                              const std::vector<std::size_t>& devices)
{
    std::vector<diagnose::Prediction> found;
    for (const std::size_t d : devices) {
        if (options.device || !analysis.snapshot->devices[d].isEmpty()) {
            found.push_back(diagnose::predict(analysis, d, options.changes));
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
        if (options.json) {
            std::cout << report::toString(report::predictionsJson(analysis, found)) << '\n';
        } else {
            std::cout << report::toText(report::predictionDocument(analysis, found));
        }
        return Done{};
    });
}

} // namespace

void addPredict(CLI::App& program, Run& run)
{
    CLI::App* const command = program.add_subcommand(
        "predict", say("Predicts the peak and the need after a change, and whether it fits"));
    const auto options = std::make_shared<PredictOptions>();
    options->last = pipeline::Stage::programs;
    addCommonOptions(*command, *options);
    command->add_option(
        "--apply", options->apply,
        say("Comma-separated changes: micro-batch=R accumulation=N sequence=R "
            "checkpointing=full|selective|attention precision=bf16|pure-bf16 "
            "optimizer=sgd|sgd-momentum|lion|adamw8bit|paged-adamw8bit|adafactor|muon foreach=off "
            "fused=on set-to-none=on attention=flash fused-loss=on|PARTS|remade-PARTS zero=1|2|3 "
            "gpus=N offload=optimizer|parameters|activations lora=RANK qlora=RANK "
            "eval-accumulation=N (R: ratio to the recorded run); default: the run as recorded"));
    addUserInputOptions(*command, options->user, WithMessage::no);
    addDeviceOption(*command, options->device);
    command->callback([options, &run] {
        options->input = userInput(options->user);
        if (!options->apply.empty()) {
            options->changes = valueOrThrow(diagnose::parseChanges(options->apply), "--apply");
        }
        run = [options] { return predict(*options); };
    });
}

} // namespace tidemark::cli
