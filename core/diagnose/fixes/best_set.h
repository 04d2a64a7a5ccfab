// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/answer.h"
#include "core/diagnose/fixes/fixes.h"
#include "core/diagnose/fixes/trial.h"

#include <optional>
#include <vector>

namespace tidemark::diagnose {

/// The cost rank of a fix, and 10 more if it changes the experiment. The allocator's own setting
/// costs nothing where fragmentation is the cause.
int costOf(const FixInput& input, const Fix& fix);

/// The cheapest set of fixes with which the run fits; several at once are composed allocation by
/// allocation, never added up. Of a dearer set nothing can be left out, and each member is as mild
/// as it can be. Marks its members in `judged`. Unset where the run needs nothing and no capacity
/// is known, or nothing helps. At most some hundred predictions.
std::optional<Answer> findAnswer(Trials& trials, std::vector<JudgedFix>& judged);

} // namespace tidemark::diagnose
