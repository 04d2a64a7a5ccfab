// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/plan/plan.h"
#include "core/report/document.h"
#include "core/report/json.h"

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

} // namespace tidemark::report
