// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/model_states.h"

#include "core/base/language.h"
#include "resources/recipes.json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace tidemark::plan {
namespace {

/// Of a model: LoRA of rank 16. Llama-2-7B, 32 blocks and 6.74e9 parameters: on the layers that
/// read a norm's result, as the ladder's lines to paste have it, 16 · (3 · (4096 + 4096) + 2 ·
/// (4096 + 11008)) · 32 = 28.0e6, 0.42 %; on all linear layers 40.0e6, 0.59 %.
constexpr double kAdapters = 0.005;
constexpr int kMostGpusAsked = 1 << 16;

std::vector<StateRecipe> parseRecipes()
{
    std::vector<StateRecipe> recipes;
    const auto file = nlohmann::json::parse(resources::recipesJson());
    for (const auto& entry : file.at("recipes")) {
        StateRecipe recipe;
        recipe.id = entry.at("id");
        recipe.title = entry.at("title");
        if (entry.contains("base")) {
            recipe.base = entry.at("base").get<double>();
        }
        recipe.weights = entry.at("weights");
        recipe.gradients = entry.at("gradients");
        recipe.optimizer = entry.at("optimizer");
        recipe.master = entry.at("master");
        recipe.note = entry.at("note");
        recipes.push_back(std::move(recipe));
    }
    return recipes;
}

Bytes bytesOf(double count, double per_parameter, int shares)
{
    return {std::llround(count * per_parameter / shares)};
}

ModelStates statesOf(const StatesQuestion& question, const StateRecipe& recipe, int zero, int gpus)
{
    const auto trained = static_cast<double>(trainedOf(question, recipe));
    const double frozen = static_cast<double>(question.parameters) - trained;
    const auto shares = [&](int from_stage) { return zero >= from_stage ? gpus : 1; };
    ModelStates s;
    s.zero = zero;
    s.weights = bytesOf(trained, recipe.weights, shares(3))
        + bytesOf(frozen, recipe.base.value_or(recipe.weights), shares(3));
    s.gradients = bytesOf(trained, recipe.gradients, shares(2));
    s.optimizer = bytesOf(trained, recipe.optimizer + recipe.master, shares(1));
    if (zero == 3 && gpus > 1) {
        // The layer at work and the one fetched ahead; in backward the first one's gradient.
        const double per =
            2 * recipe.base.value_or(recipe.weights) + (recipe.base ? 0 : recipe.gradients);
        s.gathered = bytesOf(static_cast<double>(question.largest_layer), per, 1);
    }
    if (question.capacity) {
        s.left = *question.capacity - s.total();
    }
    return s;
}

/// More GPUs never need more each.
std::optional<int> fewestGpus(const StatesQuestion& question, const StateRecipe& recipe, int zero)
{
    const auto fits = [&](int gpus) {
        return statesOf(question, recipe, zero, gpus).total() < *question.capacity;
    };
    if (!question.capacity || !fits(kMostGpusAsked)) {
        return std::nullopt;
    }
    int too_few = 0;
    int enough = kMostGpusAsked;
    while (enough - too_few > 1) {
        const int middle = too_few + (enough - too_few) / 2;
        (fits(middle) ? enough : too_few) = middle;
    }
    return enough;
}

} // namespace

std::span<const StateRecipe> stateRecipes()
{
    static const std::vector<StateRecipe> kRecipes = parseRecipes();
    return kRecipes;
}

const StateRecipe* stateRecipe(std::string_view id)
{
    const auto all = stateRecipes();
    const auto found = std::ranges::find(all, id, &StateRecipe::id);
    return found == all.end() ? nullptr : &*found;
}

std::int64_t AdapterShape::parameters() const
{
    static constexpr double kInner = 2.69; // Llama's 11008 / 4096
    const auto wide = inner.value_or(std::llround(kInner * static_cast<double>(hidden)));
    return std::int64_t{rank} * layers * (3 * (hidden + hidden) + 2 * (hidden + wide));
}

std::int64_t trainedOf(const StatesQuestion& question, const StateRecipe& recipe)
{
    const auto usual = [&] {
        if (recipe.base && question.adapters) {
            return question.adapters->parameters();
        }
        const double share = recipe.base ? kAdapters : 1;
        return static_cast<std::int64_t>(
            std::llround(share * static_cast<double>(question.parameters)));
    };
    return std::min(question.parameters, question.trained ? *question.trained : usual());
}

bool isTrainedAssumed(const StatesQuestion& question, const StateRecipe& recipe)
{
    return recipe.base && !question.trained && !question.adapters;
}

std::vector<ModelStates> modelStates(const StatesQuestion& question, const StateRecipe& recipe)
{
    std::vector<ModelStates> stages;
    for (int zero = 0; zero < (question.gpus > 1 ? kShardingStages : 1); ++zero) {
        stages.push_back(statesOf(question, recipe, zero, std::max(1, question.gpus)));
        stages.back().fewest_gpus = fewestGpus(question, recipe, zero);
    }
    return stages;
}

Result<std::int64_t> parseParameterCount(std::string_view text)
{
    const Error error{
        ErrorCode::badArgument,
        say("'{}' is not a parameter count; write it like 7.6B, 350M or 1.83e9.", text),
        {}};
    std::string digits;
    for (const char c : text) {
        if (c != ',' && c != '_' && c != ' ') {
            digits.push_back(c);
        }
    }
    double number = 0;
    const char* const last = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), last, number);
    const std::string_view unit(parsed.ptr, static_cast<std::size_t>(last - parsed.ptr));
    static constexpr std::array<std::pair<std::string_view, double>, 9> kUnits{{{"", 1},
                                                                                {"K", 1e3},
                                                                                {"k", 1e3},
                                                                                {"M", 1e6},
                                                                                {"m", 1e6},
                                                                                {"B", 1e9},
                                                                                {"b", 1e9},
                                                                                {"G", 1e9},
                                                                                {"T", 1e12}}};
    const auto known = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
    const double factor = known == kUnits.end() ? 0 : known->second;
    const double count = number * factor;
    if (parsed.ec != std::errc() || !(count >= 1) || count > 1e15) {
        return error;
    }
    return static_cast<std::int64_t>(std::llround(count));
}

} // namespace tidemark::plan
