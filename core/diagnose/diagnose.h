// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/diagnose/analysis.h"
#include "core/diagnose/predict/change.h"
#include "core/diagnose/prediction.h"

#include <memory>
#include <span>
#include <stop_token>
#include <string>

namespace tidemark::diagnose {

struct Diagnosis;

/// Causes, need, capacity and the computed fixes of every device. Requires snapshot, replay,
/// block_sizes, labels and curves in `analysis`. O(devices · fixes · allocations). Errors:
/// cancelled.
Result<Diagnosis> run(const Analysis& analysis, ProgressSink& progress, std::stop_token stop);

/// Why changes are none of a device's run: they name layers that the model has not which its frames
/// show; empty: they are. O(changes), with such names O(allocations + frames).
std::string objectionTo(const Analysis& analysis, std::size_t device,
                        std::span<const Change> changes);

/// The timeline of one device with the affected allocations changed. Requires what `run` requires.
/// `gpus` is used by zero=… unless a gpus=… change says otherwise.
Prediction predict(const Analysis& analysis, std::size_t device, std::span<const Change> changes,
                   Engine engine = Engine::walk);

} // namespace tidemark::diagnose
