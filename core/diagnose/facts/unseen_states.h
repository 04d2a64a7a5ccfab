// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"
#include "core/diagnose/facts/optimizer_kinds.h"

#include <cstdint>
#include <string>

namespace tidemark::diagnose {

// What a run that ended before its first step is to keep beside its weights: as the frames and the
// configuration have it, else what is most common.

/// Bytes of the weights that the first training pass used before it saved anything: a layer that
/// is trained saves its input, and so does one behind it, so neither these layers nor what was made
/// before them, such as embeddings, get a gradient. Weights are taken to be made in the order of
/// their use. 0 where the linear layers are not sure, where blocks are made again, and where one
/// layer only ran, which may have read the batch itself. As `findLinearCalls`.
std::int64_t frozenAhead(const DeviceRun& run, const Precision& precision);

/// Bytes of the weights that are to get gradients.
struct TrainedWeights {
    std::int64_t bytes = 0;
    double at_most = 1; ///< Times that at the upper end.
    std::int64_t frozen = 0; ///< What `frozenAhead` says.
};
/// Where no backward pass tells: with adapters those of them, else all of `weights` but what is
/// frozen ahead. Adapters are what frames of peft made or `adapterPairs` finds; else a fiftieth of
/// the weights, up to a tenth. `in_use`: what the frames show. As `frozenAhead`.
TrainedWeights trainedWeights(const DeviceRun& run, const Precision& precision,
                              const std::vector<InUse>& in_use, std::int64_t weights);

/// Whether adapters are trained beside weights that are frozen, as frames of peft, the
/// configuration or sizes tell. `facts.in_use` is read. As `adapterPairs`.
bool hasAdapters(const Facts& facts);

/// The optimizer that the configuration names; null: none, or what it keeps is not known. O(1).
const OptimizerKind* configuredOptimizer(const Facts& facts);

/// State and temporaries of an optimizer that was not seen.
struct UnseenOptimizer {
    Amount copies{0, 2, 2}; ///< On this card, of the weights that get gradients.
    Amount transients{1, 1, 1}; ///< Of Adam's temporaries.
    std::string note; ///< What it is taken for and why; one sentence or two.
};
UnseenOptimizer unseenOptimizer(const Facts& facts);

} // namespace tidemark::diagnose
