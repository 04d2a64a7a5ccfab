// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/causes/recipe.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/message/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

/// "17.4 M", "1.83 G", "423 M": tables and batches that are kept make more digits wrong.
std::string countText(std::int64_t count)
{
    const auto value = static_cast<double>(count);
    if (value >= 1e9) {
        return say("{:.2f} G", value / 1e9);
    }
    return value >= 1e8 ? say("{:.0f} M", value / 1e6)
        : value >= 1e6  ? say("{:.1f} M", value / 1e6)
                        : formatCount(count);
}

/// Of an optimizer by its state, in copies of what is trained; empty of none that is known.
std::string stateText(double copies, bool state_is_complete)
{
    struct Known {
        double copies;
        std::string_view text;
    };
    static constexpr Known kKnown[]{{0.25, toSay("8-bit state")},
                                    {0.5, toSay("Adam in 8 bits")},
                                    {1, toSay("one state (SGD with momentum, Lion)")},
                                    {2, toSay("Adam")},
                                    {3, toSay("three states (AMSGrad, Adan)")},
                                    {4, toSay("Adam in 32 bits")}};
    if (!state_is_complete) {
        return say("unknown optimizer");
    }
    if (copies < 0.1) {
        return say("no optimizer state");
    }
    for (const Known& known : kKnown) {
        if (std::abs(copies - known.copies) <= 0.12 * known.copies) {
            return std::string(translated(known.text));
        }
    }
    return {};
}

/// How much of weights and state the recipe explains.
double explainedShare(const Facts& facts, const Recipe& recipe, double trained)
{
    const StateBytes& s = facts.states;
    // Next to nothing is trained beside frozen weights where there are no adapters.
    constexpr double kFewestTrained = 1e-4;
    const auto of_model = static_cast<double>(s.model());
    const bool may_freeze =
        trained >= kFewestTrained * of_model || useOf(facts.in_use, "lora") != nullptr;
    const double frozen = may_freeze ? std::max(0.0, of_model - trained) : 0;
    const double copies = recipe.state_bytes / recipe.weight_bytes;
    const auto held = static_cast<double>(s.parameters + s.optimizer);
    const double explained =
        trained * (1 + copies) + frozen + static_cast<double>(s.averages + s.masters);
    return held > 0 ? std::min(explained, held) / held : 0;
}

/// The recipe with the same or nearly the same proportions that this one might be taken for.
std::string excludedText(const Facts& facts, bool cast, double trained_share)
{
    static constexpr double kMostTrained = 0.5;
    static constexpr double kClose = 0.12;
    const double copies = facts.states.copies;
    const auto isAbout = [&](double known) { return std::abs(copies - known) <= kClose * known; };
    if (trained_share < kMostTrained) {
        return say("Not all weights are trained: only {} have gradients and state.",
                   formatPercent(trained_share));
    }
    if (cast) {
        return say("Not pure bf16 (8 B with Adam): autocast cast wider weights to 16 bits.");
    }
    if (facts.sixteen_bit_states && copies > 3.4) {
        return say("Not pure bf16 with torch's Adam (8 B): state is 4× as wide as weights.");
    }
    if (facts.sixteen_bit_states) {
        return facts.proven_width == 2
            ? say("Not fp32 or autocast (16 B with Adam): weight sizes prove 2-byte elements.")
            : say("Not fp32 or autocast (16 B with Adam): 16-bit kernels ran and no weight was "
                  "cast.");
    }
    if (isAbout(2) && facts.proven_width == 4) {
        return say("Not pure bf16 (8 B with Adam): weight sizes prove 4-byte elements.");
    }
    if (isAbout(2)) {
        return say("Pure bf16 with Adam (8 B, twice the parameters) is possible too; no 16-bit "
                   "kernel was seen.");
    }
    if (isAbout(1)) {
        return say("Not Adam: it would have two states per weight.");
    }
    if (isAbout(0.5)) {
        return say("Not Adam with fp32 state (16 B): it would take 4× as much.");
    }
    return {};
}

/// The weights, and the copies that stand beside them.
std::string weightsText(const StateBytes& states, const std::string& weights)
{
    const bool has_average = states.averages > 0;
    if (states.masters > 0) {
        return has_average ? say("{} with a master copy and EMA", weights)
                           : say("{} with a master copy", weights);
    }
    return has_average ? say("{} with EMA", weights) : weights;
}

std::string bytesText(double bytes)
{
    return std::abs(bytes - std::round(bytes)) < 0.15 ? fmt::format("{:.0f}", bytes)
                                                      : say("{:.1f}", bytes);
}

/// FSDP keeps but a part of the weights on each rank, and so does ZeRO's third stage.
std::string withShard(const Facts& facts, const std::string& text)
{
    const InUse* const gradients = useOf(facts.in_use, "zero-2");
    const bool is_fsdp = gradients != nullptr && gradients->says.starts_with("FSDP");
    return is_fsdp || useOf(facts.in_use, "zero-3") != nullptr ? say("{}, one rank's shard", text)
                                                               : text;
}

constexpr std::int64_t kFewestBytes = 1 << 14; // of weights; fewer are no model

} // namespace

bool knowsRecipe(const Facts& facts)
{
    return !readRecipe(facts).text.empty()
        || (facts.states.parameters >= kFewestBytes && facts.states.copies < 1);
}

Recipe readRecipe(const Facts& facts)
{
    static constexpr double kLeastExplained = 0.8; // of weights and state
    static constexpr double kAllTrained = 0.9;
    Recipe recipe;
    const StateBytes& s = facts.states;
    const bool trains = s.gradients_full > 0 || s.optimizer > 0;
    if (s.parameters < kFewestBytes) {
        return recipe;
    }
    const bool cast = facts.autocasts();
    recipe.weight_bytes = facts.weightWidth();
    const std::int64_t weights = trains ? s.trainable : s.model();
    recipe.parameters = std::llround(static_cast<double>(weights) / recipe.weight_bytes);
    const bool quantised = useOf(facts.in_use, "qlora") != nullptr;
    if (quantised) {
        // Some weights are packed, others are not: bytes do not give their number.
        recipe = {};
        const Bytes size{s.parameters};
        recipe.text = useOf(facts.in_use, "lora") != nullptr
            ? say("quantized weights, {} with unquantized layers, + LoRA adapters", size)
            : say("quantized weights, {} with unquantized layers", size);
        return recipe;
    }
    const std::string width = weightsText(s,
                                          facts.sixteen_bit_states ? say("16-bit weights")
                                              : cast ? say("fp32 weights under autocast")
                                                     : say("fp32 weights"));
    const bool is_assumed = !facts.isWidthKnown();
    if (!trains) {
        recipe.text = withShard(facts,
                                say("{}: {} B × {} parameters", width,
                                    bytesText(recipe.weight_bytes), countText(recipe.parameters)));
        if (is_assumed) {
            recipe.text = say("{} (dtype assumed)", recipe.text);
            recipe.excluded =
                say("In 16 bits there would be twice as many; their dtype is unknown.");
        }
        return recipe;
    }
    const auto trainable = static_cast<double>(std::max<std::int64_t>(1, s.trainable));
    recipe.gradient_bytes =
        recipe.weight_bytes * std::min(1.0, static_cast<double>(s.gradients_full) / trainable);
    const bool any_step = s.optimizer > 0 || facts.labels.steps.size() > 1;
    // A first backward that was cut off had made only some of them.
    if (!any_step || recipe.gradient_bytes > 0.8 * recipe.weight_bytes) {
        recipe.gradient_bytes = recipe.weight_bytes;
    }
    recipe.state_bytes = recipe.weight_bytes * s.copies;
    const bool complete =
        s.optimizer > 0 || s.optimizer_missing > 0 || facts.labels.steps.size() > 1;
    recipe.master_bytes = recipe.weight_bytes * static_cast<double>(s.masters) / trainable;
    recipe.average_bytes = recipe.weight_bytes * static_cast<double>(s.averages) / trainable;
    recipe.copy_bytes = recipe.master_bytes + recipe.average_bytes;
    const double all =
        recipe.weight_bytes + recipe.gradient_bytes + recipe.state_bytes + recipe.copy_bytes;
    const std::string state = stateText(s.copies, complete);
    if (state.empty() || explainedShare(facts, recipe, trainable) < kLeastExplained) {
        recipe = {};
        recipe.excluded = say("Unknown recipe: weights and state fit no known optimizer.");
        return recipe;
    }
    recipe.text = say("{} + {}: {} B × {} parameters", width, state, bytesText(all),
                      countText(recipe.parameters));
    recipe.text = withShard(facts, recipe.text);
    if (is_assumed) {
        recipe.text = say("{} (dtype assumed)", recipe.text);
    }
    const double trained = trainable / static_cast<double>(std::max<std::int64_t>(1, s.model()));
    if (complete) {
        recipe.excluded = excludedText(facts, cast, trained);
    }
    if (trained < kAllTrained) {
        recipe.text =
            say("{} ({} of the weights are trained)", recipe.text, formatPercent(trained));
    }
    return recipe;
}

} // namespace tidemark::diagnose
