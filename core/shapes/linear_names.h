// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/model_shape.h"

#include <string>
#include <vector>

namespace tidemark::shapes {

/// The layers that adapters usually go to, by the model's names: those behind a norm, as the
/// ladder's line to paste has them.
std::vector<std::string> usualTargets(const walk::ModelShape& model);
/// All names of linear layers of a model.
std::vector<std::string> linearNames(const walk::ModelShape& model);

/// The linear layers that written targets mean: "all-linear" and "all" are all of them.
std::vector<std::string> targetsOf(const walk::ModelShape& model,
                                   const std::vector<std::string>& written);

} // namespace tidemark::shapes
