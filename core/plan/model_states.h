// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/base/units.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::plan {

// What weights, gradients and optimizer state take, from a number of parameters alone: the part of
// a run's need that is known before it runs. Bytes per parameter: resources/recipes.json.

/// A way to train, as bytes per parameter.
struct StateRecipe {
    std::string id; ///< "bf16-adam".
    std::string title; ///< "pure bf16 with torch Adam".
    std::optional<double> base; ///< Per frozen parameter; set where only some are trained.
    double weights = 0; ///< This and the rest: per trained parameter.
    double gradients = 0;
    double optimizer = 0; ///< Moments.
    double master = 0; ///< A full-precision copy of the weights.
    std::string note; ///< What comes on top; may be empty.

    [[nodiscard]] double perTrained() const
    {
        return weights + gradients + optimizer + master;
    }
};
/// All that are known. Parsed once; thread-safe.
std::span<const StateRecipe> stateRecipes();
/// Null: there is none of that id.
const StateRecipe* stateRecipe(std::string_view id);

/// LoRA adapters by the sizes of a Llama-like model.
struct AdapterShape {
    int rank = 16;
    std::int64_t hidden = 0; ///< Width of a token.
    int layers = 0; ///< Blocks.
    std::optional<std::int64_t> inner; ///< Of the feed-forward; nothing: 2.69 × hidden.

    /// On the layers that read a norm's result: three of attention and two of the feed-forward per
    /// block, rank × (inputs + outputs) each.
    [[nodiscard]] std::int64_t parameters() const;
};

struct StatesQuestion {
    std::int64_t parameters = 0; ///< Of the model, all of them.
    std::optional<std::int64_t> trained; ///< Nothing: all, or what the adapters
                                         ///< have, or 0.5 % where the rest is frozen.
    std::int64_t largest_layer = 0; ///< Parameters of what ZeRO-3 gathers at once; 0: not known.
    int gpus = 1; ///< That share the work; at least 1.
    std::optional<Bytes> capacity; ///< Of each.
    std::optional<AdapterShape>
        adapters{}; ///< Of recipes with a frozen base; `trained` comes first.
    bool context_is_off = false; ///< The capacity is what CUDA's context leaves of a GPU.
};

/// How states are spread over the GPUs: 0 each has all (DDP), 1 to 3 as ZeRO numbers them.
inline constexpr int kShardingStages = 4;

/// What one GPU holds.
struct ModelStates {
    int zero = 0;
    Bytes weights;
    Bytes gradients;
    Bytes optimizer; ///< With the master copy.
    Bytes gathered; ///< ZeRO-3: the layer that is at work, the next one, and its gradient.
    std::optional<Bytes> left; ///< Of the capacity, for all else; negative: missing.
    /// The fewest GPUs with which the states leave anything; nothing: no number does, or no
    /// capacity is known.
    std::optional<int> fewest_gpus;

    [[nodiscard]] Bytes total() const
    {
        return weights + gradients + optimizer + gathered;
    }
};

/// One entry per stage; only stage 0 for one GPU. ZeRO paper (arXiv 1910.02054): stage 1 shards the
/// optimizer's part, 2 the gradients, 3 the weights.
std::vector<ModelStates> modelStates(const StatesQuestion& question, const StateRecipe& recipe);

/// How many parameters are trained.
std::int64_t trainedOf(const StatesQuestion& question, const StateRecipe& recipe);
/// Whether that is the usual share and not what the question says.
bool isTrainedAssumed(const StatesQuestion& question, const StateRecipe& recipe);

/// "7.6e9", "7.6B", "350M", "124,439,808". Errors: badArgument.
Result<std::int64_t> parseParameterCount(std::string_view text);

} // namespace tidemark::plan
