// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <optional>
#include <string>
#include <vector>

namespace tidemark::diagnose {

/// The cheapest set of fixes with which a run fits. The cost of a set is the sum of its cost ranks,
/// and 10 more for each member that changes the experiment.
struct Answer {
    std::vector<std::string> fixes; ///< Ids in the ladder's order; none if nothing is needed.
    std::string apply; ///< All of it in `predict --apply` words; empty if it is no change of sizes.
    Bytes new_need; ///< Requested bytes with the whole set.
    Bytes new_reserved; ///< From the driver, best estimate.
    Bytes least_reserved; ///< Its lower end.
    /// Unset: not known, the reason in `sentence`. False: everything that helps together is not
    /// enough.
    std::optional<bool> fits;
    std::optional<Bytes>
        available; ///< With the whole set, which may lift a limit; unset: not known.
    /// Of that, what the upper end of what is needed from the driver leaves; negative if larger.
    std::optional<Bytes> margin;
    /// The step's batch with both numbers: "16 sequences per step as before". Empty: not changed.
    std::string batch;
    std::string sentence;
};

/// The largest value of one knob with which the run fits, everything else as recorded.
struct SizeLimit {
    double ratio = 0; ///< To the recorded run; the next step up does not fit for certain.
    /// In the words of the run's configuration, where that tells them.
    std::optional<int> value;
    std::string apply; ///< In `predict --apply` words.
    /// Micro-batches that make one recorded one, so that a step sees as many samples.
    int turns = 1;
};

/// The fewest GPUs over which one ZeRO stage makes the run fit.
struct GpuLimit {
    int stage = 0;
    std::optional<int> gpus; ///< None: not even over very many.
};

/// The knobs solved backwards. Unset where nothing fits, the capacity is not known, or the run does
/// not follow that knob.
struct Limits {
    std::optional<SizeLimit> micro_batch;
    std::optional<SizeLimit> sequence;
    std::vector<GpuLimit> gpus; ///< Empty if the states are not worth sharing.
};

} // namespace tidemark::diagnose
