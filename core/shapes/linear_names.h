// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/model_shape.h"

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::shapes {

/// The layers that PEFT adapts where nobody names any: queries and values, or what makes both, and
/// of Phi its MLP (TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING of PEFT 0.21). The same of a
/// family that is not in its table.
std::vector<std::string> usualTargets(const walk::ModelShape& model);
/// All names of linear layers of a model.
std::vector<std::string> linearNames(const walk::ModelShape& model);
/// All that a model of a type may have, whatever its configuration; none for a type that is not
/// known.
std::vector<std::string> linearNames(std::string_view model_type);

/// The linear layers that written targets mean: "all-linear" and "all" are all of them.
std::vector<std::string> targetsOf(const walk::ModelShape& model,
                                   const std::vector<std::string>& written);

/// Why not all of some targets are among a model's linear layers; empty: they are.
std::string objectionTo(const std::vector<std::string>& targets,
                        const std::vector<std::string>& linear_names);

} // namespace tidemark::shapes
