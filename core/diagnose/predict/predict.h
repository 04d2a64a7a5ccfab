// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"
#include "core/diagnose/predict/change.h"
#include "core/diagnose/predict/need.h"
#include "core/diagnose/predict/run_changer.h"
#include "core/diagnose/prediction.h"

#include <span>
#include <vector>

namespace tidemark::diagnose {

/// A prediction with what it was computed from, for the fixes' own sentences.
struct PredictedRun {
    Prediction prediction;
    Need need;
};

/// `keep_curve`: fill `after_active`, which is as long as the trace.
PredictedRun predictRun(RunChanger& changer, const NeedBasis& basis,
                        std::span<const Change> changes, int gpus, bool keep_curve);

/// Each list of changes by itself, as `predictRun` without curves, but the trace is gone through
/// for many lists at once, and on several threads if there are more.
std::vector<PredictedRun> predictRuns(RunChanger& changer, const NeedBasis& basis,
                                      std::span<const std::vector<Change>> scenarios, int gpus);

} // namespace tidemark::diagnose
