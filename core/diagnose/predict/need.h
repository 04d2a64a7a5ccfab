// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"
#include "core/diagnose/facts/growth.h"
#include "core/diagnose/facts/reference_pass.h"
#include "core/diagnose/facts/unseen_states.h"
#include "core/diagnose/predict/capacity.h"
#include "core/diagnose/predict/changed_run.h"
#include "core/diagnose/predict/pass_completion.h"
#include "core/diagnose/predict/run_scan.h"

#include <optional>
#include <string>
#include <vector>

namespace tidemark::diagnose {

/// What a run needs from first to last, as far as the file tells: see the design, "What fits
/// means".
struct Need {
    Amount requested; ///< Requested bytes.
    Amount reserved; ///< From the driver: with what the allocator keeps beside them.
    std::int64_t known_to_follow = 0; ///< Part of `requested.mid` beyond the moment itself.
    bool is_open = false; ///< More may follow than the upper end says.
    std::vector<std::string> notes; ///< What else it counts, or why it is open; one sentence each.
};

/// What is computed once per device for all predictions.
struct NeedBasis {
    Growth growth;
    ReferencePass like;
    PassCompletion completion; ///< Of a first pass that was cut off.
    std::optional<int> loss_gradients; ///< Of one that was cut off there: `lossGradientsBefore`.
    UnseenOptimizer unseen; ///< Of a run that died.
    std::int64_t largest = 0; ///< Allocation or failed request, bytes.
    std::int64_t rest_of_temporaries = 0; ///< Of an optimizer step that was cut off, bytes.
    Capacity capacity;
    Capacity died_with; ///< Of a run that died: what it had, where that is known, else `capacity`.
    Need before; ///< With no change.
    /// The same if gradients that the step before has left are zeroed; set where that matters.
    std::optional<Need> before_zeroing;
};
NeedBasis needBasis(const Facts& facts);

/// What `needOf` wants to know of a run. `basis.before` is not read.
ScanRequest requestForNeed(const Facts& facts, const NeedBasis& basis);

/// `scanned`: the run's answer to `requestForNeed`. `basis.before` is not read when the run is
/// unchanged.
Need needOf(const Facts& facts, const NeedBasis& basis, const ChangedRun& run,
            const ScanResult& scanned);

/// What every prediction may be off by beyond the ranges of its laws, bytes.
double predictionSlack(double before, double after);

/// True only if the upper end leaves a margin, false only if the lower end exceeds the capacity.
std::optional<bool> fitsInto(const Need& need, const Capacity& capacity);

/// Bytes that the allocator keeps beside the live ones at the moment: at an OOM after its own
/// flush, and with what it asked the driver for.
std::int64_t overheadBefore(const Facts& facts);

/// A whole number of bytes near `bytes`.
Bytes roundedBytes(double bytes);

} // namespace tidemark::diagnose
