// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/change.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/facts.h"
#include "core/diagnose/need.h"
#include "core/diagnose/size_kinds.h"

#include <span>
#include <vector>

namespace tidemark::diagnose {

/// A prediction with what it was computed from, for the fixes' own sentences.
struct PredictedRun {
    Prediction prediction;
    Need need;
};

/// `keep_curve`: fill `after_active`, which is as long as the trace.
PredictedRun predictRun(const Facts& facts, const NeedBasis& basis, std::span<const Change> changes,
                        int gpus, bool keep_curve);

/// Each list of changes by itself, as `predictRun` without curves, but the laws are asked once for
/// all allocations of a kind, and the trace is gone through once for all lists.
std::vector<PredictedRun> predictRuns(const Facts& facts, const NeedBasis& basis,
                                      std::span<const std::vector<Change>> scenarios, int gpus);
/// With the kinds of `facts`, for callers that ask more than once.
std::vector<PredictedRun> predictRuns(const Facts& facts, const NeedBasis& basis,
                                      const SizeKinds& kinds,
                                      std::span<const std::vector<Change>> scenarios, int gpus);

} // namespace tidemark::diagnose
