// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/plan/plan.h"

namespace tidemark::plan {

/// What the upper end of a need and its margin leave of a capacity; below zero: what is missing.
/// `Estimate::fits` is true from zero on.
Bytes leftOf(const EstimateRange& need, Bytes capacity);

} // namespace tidemark::plan
