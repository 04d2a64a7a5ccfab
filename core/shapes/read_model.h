// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/walk/model_shape.h"

#include <string_view>
#include <vector>

namespace tidemark::shapes {

/// The model types that are known, in the order of the table.
std::vector<std::string_view> knownModelTypes();

/// Whether a text is the configuration of a model, of whatever type.
bool isModelConfig(std::string_view text);

/// Reads a Hugging Face config.json; what it leaves out has the default of transformers 5. Errors:
/// badArgument, with what is missing or not known: nothing is guessed.
Result<walk::ModelShape> readModelShape(std::string_view json);

} // namespace tidemark::shapes
