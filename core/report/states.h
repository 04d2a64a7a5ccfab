// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/plan/model_states.h"
#include "core/report/document.h"
#include "core/report/json.h"

namespace tidemark::report {

/// What `states` prints: the model states of one recipe on each GPU, per stage of sharding, and
/// those of all other recipes.
Json statesJson(const plan::StatesQuestion& question, const plan::StateRecipe& recipe);
/// The same for people.
Document statesDocument(const plan::StatesQuestion& question, const plan::StateRecipe& recipe);

} // namespace tidemark::report
