// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/budget.h"

namespace tidemark::diagnose {

struct Facts;
struct ChangedRun;
struct SizeKinds;

/// Of a changed run in one of its states, best estimate. `kinds` as for `scan`; `need` and
/// `reserved` in bytes, of the same run; what the live bytes and the failed request do not explain
/// is to follow. O(allocations + turns).
Budget budgetOf(const Facts& facts, const SizeKinds& kinds, const ChangedRun& run, StateId state,
                std::int64_t need, std::int64_t reserved);

} // namespace tidemark::diagnose
