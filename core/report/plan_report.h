// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/plan/plan.h"
#include "core/report/document.h"
#include "core/report/json.h"

#include <string>

namespace tidemark::report {

/// What `plan` prints: the peak before the run with its range and buckets, what the card has to
/// hold, and what would change it. `name`: of the model, as it was given.
Json planJson(const plan::Question& question, const plan::Plan& plan, const std::string& name);
/// The same for people.
Document planDocument(const plan::Question& question, const plan::Plan& plan,
                      const std::string& name);

} // namespace tidemark::report
