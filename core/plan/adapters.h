// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/model_shape.h"
#include "core/walk/run_shape.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tidemark::plan {

/// What a trainer's settings say of LoRA's adapters.
struct AdaptersSaid {
    std::optional<std::int64_t> rank;
    std::vector<std::string> targets; ///< As written; none: not said.
};

/// Reads PEFT's adapter_config.json and the names of TRL, Axolotl, LLaMA-Factory, torchtune, Swift
/// and veRL for the same. Texts that are no configuration say nothing.
AdaptersSaid readAdapters(std::span<const std::string> texts);

/// What adapters of rank 1 have in parameters: rank × (inputs + outputs) of each matrix that gets
/// one, grouped heads and experts included, so that rank r has r times as many. Requires targets
/// that the model has. A walk through the model.
std::int64_t adapterParametersPerRank(const walk::ModelShape& model,
                                      const std::vector<std::string>& targets);

} // namespace tidemark::plan
