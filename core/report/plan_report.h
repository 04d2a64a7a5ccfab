// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/plan/plan.h"
#include "core/plan/rollout.h"
#include "core/report/document.h"
#include "core/report/json.h"
#include "core/walk/against.h"

#include <cstddef>
#include <string>

namespace tidemark::report {

/// What `plan` prints: the peak before the run with its range and buckets, what the card has to
/// hold, and what would change it. `name`: of the model, as it was given.
/// `points`: about how many of the curve come with it; 0: none.
Json planJson(const plan::Question& question, const plan::Plan& plan, const std::string& name,
              std::size_t points);
/// The same for people.
Document planDocument(const plan::Question& question, const plan::Plan& plan,
                      const std::string& name);

/// How a model is trained, as walks have it.
Json runJson(const walk::RunShape& run);

/// A plan beside a recording, for both.
Json againstJson(const walk::PlanDifference& difference);
Section againstSection(const walk::PlanDifference& difference);

/// All that is on a card where a trainer and the engine that writes for it share one.
Json rolloutJson(const plan::RolloutSetup& setup, const plan::RolloutPlan& plan);
Section rolloutSection(const plan::RolloutSetup& setup, const plan::RolloutPlan& plan,
                       Bytes capacity);

} // namespace tidemark::report
