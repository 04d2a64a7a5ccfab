// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/parser_words.h"
#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/plan/capacity_text.h"
#include "core/report/states.h"

#include <fmt/ranges.h>

#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

struct StatesOptions {
    std::string parameters;
    std::string trained;
    std::string largest_layer;
    std::string recipe = "autocast-adam";
    std::string capacity;
    int gpus = 1;
    plan::AdapterShape adapters;
    std::int64_t inner = 0;
    bool json = false;
};

std::string recipeIds()
{
    std::vector<std::string_view> ids;
    for (const plan::StateRecipe& recipe : plan::stateRecipes()) {
        ids.push_back(recipe.id);
    }
    return fmt::format("{}", fmt::join(ids, " "));
}

plan::StatesQuestion questionOf(const StatesOptions& options)
{
    using plan::parseParameterCount;
    plan::StatesQuestion question;
    question.parameters = valueOrThrow(parseParameterCount(options.parameters), "PARAMETERS");
    if (!options.trained.empty()) {
        question.trained = valueOrThrow(parseParameterCount(options.trained), "--trained");
    }
    if (!options.largest_layer.empty()) {
        question.largest_layer =
            valueOrThrow(parseParameterCount(options.largest_layer), "--largest-layer");
    }
    if (!options.capacity.empty()) {
        const plan::GivenCapacity given =
            valueOrThrow(plan::parseCapacity(options.capacity), "--capacity");
        question.capacity = given.bytes;
        question.context_is_off = given.bytes < given.gpu;
    }
    question.gpus = options.gpus;
    if (options.adapters.hidden > 0 && options.adapters.layers > 0) {
        question.adapters = options.adapters;
        if (options.inner > 0) {
            question.adapters->inner = options.inner;
        }
    }
    return question;
}

} // namespace

void addStates(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<StatesOptions>();
    command
        .add_option("PARAMETERS", options->parameters,
                    say("Number of parameters, such as 7.6B or 350M"))
        ->required();
    command.add_option("--recipe", options->recipe, say("Training recipe: {}", recipeIds()))
        ->capture_default_str();
    command.add_option("--trained", options->trained,
                       say("Trained parameters; default: all, or 0.5 % with LoRA"));
    command.add_option("--lora-rank", options->adapters.rank, say("LoRA rank"))
        ->check(numberIn(1, 65536))
        ->capture_default_str();
    CLI::Option* const hidden = command
                                    .add_option("--hidden", options->adapters.hidden,
                                                say("Hidden size, for the size of LoRA's adapters"))
                                    ->check(numberIn(1, 10000000));
    CLI::Option* const layers = command
                                    .add_option("--layers", options->adapters.layers,
                                                say("Number of blocks, with --hidden"))
                                    ->check(numberIn(1, 100000))
                                    ->needs(hidden);
    hidden->needs(layers);
    command
        .add_option("--inner", options->inner,
                    say("Feed-forward width; default: 2.69 times --hidden"))
        ->check(numberIn(1, 100000000))
        ->needs(hidden);
    command.add_option("--largest-layer", options->largest_layer,
                       say("Parameters of the largest layer, which ZeRO-3 gathers"));
    command.add_option("--gpus", options->gpus, say("Number of GPUs available"))
        ->check(numberIn(1, 1000000));
    command.add_option("--capacity", options->capacity, capacityHelp());
    command.add_flag("--json", options->json, say("Print JSON instead of text"));
    command.callback([options, &run] {
        const plan::StatesQuestion question = questionOf(*options);
        const plan::StateRecipe* const recipe = plan::stateRecipe(options->recipe);
        if (recipe == nullptr) {
            throw CLI::ValidationError(
                "--recipe", say("Unknown value '{}'; use {}.", options->recipe, recipeIds()));
        }
        run = [question, recipe, json = options->json] {
            std::cout << (json ? report::toString(report::statesJson(question, *recipe)) + '\n'
                               : report::toText(report::statesDocument(question, *recipe)));
            return kSuccess;
        };
    });
}

} // namespace tidemark::cli
