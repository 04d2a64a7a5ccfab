// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/states.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/report/json_parts.h"

#include <fmt/format.h>

#include <array>

namespace tidemark::report {
namespace {

using plan::ModelStates;
using plan::StateRecipe;
using plan::StatesQuestion;

constexpr std::array<std::string_view, plan::kShardingStages> kStages{
    toSay("None, or DDP"), "ZeRO-1", "ZeRO-2", "ZeRO-3, FSDP"};

constexpr std::string_view kNotCounted =
    toSay("Not counted: activations, logits, optimizer temporaries (with foreach about as large as "
          "the weights), allocator overhead and 0.3 to 1 GiB of CUDA context. A snapshot of one "
          "step shows them.");
constexpr std::string_view kNotCountedInPyTorch =
    toSay("Not counted: activations, logits, optimizer temporaries (with foreach about as large as "
          "the weights) and allocator overhead. A snapshot of one step shows them.");

std::string perParameter(double bytes)
{
    return say("{:g} B", bytes);
}

std::string verdict(const StatesQuestion& question, const StateRecipe& recipe)
{
    const std::int64_t trained = plan::trainedOf(question, recipe);
    const ModelStates states =
        modelStates({question.parameters, trained, 0, 1, {}}, recipe).front();
    const std::string title(translated(recipe.title));
    const std::string per_trained = perParameter(recipe.perTrained());
    return trained < question.parameters
        ? say("{}: {} × {} trained and {} × {} frozen parameters, {} in total.", title, per_trained,
              formatCount(trained), perParameter(recipe.base.value_or(recipe.weights)),
              formatCount(question.parameters - trained), states.total())
        : say("{}: {} × {} parameters, {} in total.", title, per_trained, formatCount(trained),
              states.total());
}

std::string leftText(const ModelStates& states)
{
    if (!states.left) {
        return "-";
    }
    return states.left->value > 0 ? formatBytes(*states.left) : say("short by {}", -*states.left);
}

Table stagesTable(const StatesQuestion& question, const StateRecipe& recipe)
{
    Table table{{{say("Sharding"), Align::left},
                 {say("Weights"), Align::right},
                 {say("Gradients"), Align::right},
                 {say("Optimizer"), Align::right},
                 {say("Per GPU"), Align::right},
                 {say("Left"), Align::right},
                 {say("Fewest GPUs"), Align::right}},
                {},
                {}};
    const std::vector<ModelStates> stages = modelStates(question, recipe);
    const OneUnit unit(stages.front().total());
    for (const ModelStates& states : stages) {
        table.rows.push_back(
            {std::string(translated(kStages[static_cast<std::size_t>(states.zero)])),
             unit.cell(states.weights + states.gathered), unit.cell(states.gradients),
             unit.cell(states.optimizer), unit.cell(states.total()), leftText(states),
             !question.capacity       ? "-"
                 : states.fewest_gpus ? formatCount(*states.fewest_gpus)
                                      : say("none")});
    }
    return table;
}

Table recipesTable(const StatesQuestion& question)
{
    Table table{{{say("Recipe"), Align::left},
                 {say("Per trained parameter"), Align::right},
                 {say("On one GPU"), Align::right},
                 {say("Left"), Align::right}},
                {},
                {}};
    for (const StateRecipe& recipe : plan::stateRecipes()) {
        const ModelStates states = modelStates({question.parameters, question.trained, 0, 1,
                                                question.capacity, question.adapters},
                                               recipe)
                                       .front();
        table.rows.push_back({std::string(translated(recipe.title)),
                              perParameter(recipe.perTrained()), formatBytes(states.total()),
                              leftText(states)});
    }
    return table;
}

} // namespace

Json statesJson(const StatesQuestion& question, const StateRecipe& recipe)
{
    Json stages = Json::array();
    for (const ModelStates& states : modelStates(question, recipe)) {
        stages.push_back({{"zero", states.zero},
                          {"parameter_bytes", states.weights.value},
                          {"gradient_bytes", states.gradients.value},
                          {"optimizer_bytes", states.optimizer.value},
                          {"gathered_bytes", states.gathered.value},
                          {"total_bytes", states.total().value},
                          {"left_bytes", orNull(states.left)},
                          {"fewest_gpus", orNull(states.fewest_gpus)}});
    }
    return {{"recipe", recipe.id},
            {"parameters", question.parameters},
            {"trained_parameters", plan::trainedOf(question, recipe)},
            {"trained_is_assumed", plan::isTrainedAssumed(question, recipe)},
            {"gpus", question.gpus},
            {"capacity_bytes", orNull(question.capacity)},
            {"bytes_per_parameter",
             {{"base", orNull(recipe.base)},
              {"weights", recipe.weights},
              {"gradients", recipe.gradients},
              {"optimizer", recipe.optimizer},
              {"master", recipe.master}}},
            {"stages", std::move(stages)},
            {"note", translated(recipe.note)}};
}

Document statesDocument(const StatesQuestion& question, const StateRecipe& recipe)
{
    Section first{say("Model states"), {Paragraph{verdict(question, recipe), Emphasis::lead}}};
    if (plan::isTrainedAssumed(question, recipe)) {
        first.blocks.emplace_back(
            Paragraph{say("Assumes 0.5 % trained parameters, as with LoRA rank 16 on a 7B model. "
                          "Give rank, width and block count to compute them."),
                      Emphasis::quiet});
    }
    if (!recipe.note.empty()) {
        first.blocks.emplace_back(Paragraph{std::string(translated(recipe.note)), Emphasis::none});
    }
    const std::string on = question.gpus == 1
        ? say("On one GPU")
        : say("On each of {} GPUs", formatCount(question.gpus));
    return {say("{} parameters", formatCount(question.parameters)),
            {std::move(first),
             {question.capacity ? say("{}, of {}", on, *question.capacity) : on,
              {stagesTable(question, recipe),
               Paragraph{std::string(translated(question.context_is_off ? kNotCountedInPyTorch
                                                                        : kNotCounted)),
                         Emphasis::quiet}}},
             {say("Other recipes, unsharded"), {recipesTable(question)}}}};
}

} // namespace tidemark::report
