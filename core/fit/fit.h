// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/fit/recording.h"
#include "core/walk/model_shape.h"
#include "core/walk/run_shape.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tidemark::fit {

/// The model and the run that a recording is of, as far as a walk through them has its tensors.
struct Fit {
    /// Why nothing is predicted with it; empty: it is accepted.
    std::string refused;
    walk::ModelShape model;
    walk::RunShape run;
    Bytes recorded; ///< Peak of the recording,
    Bytes planned; ///< and of the walk, which is made of these:
    label::BucketBytes planned_buckets{};
    double same = 0; ///< Share of the peak in tensors that both have; accepted from 98 % on.
    double off = 1; ///< The most that the peak of a phase differs; accepted up to 2 % of it.
    Bytes without_training; ///< Largest total of evaluation and inference, which no walk has.
    int walks = 0; ///< That were made to find it.

    [[nodiscard]] bool isAccepted() const
    {
        return refused.empty();
    }
};

/// Family and kernels follow from frames, the shape from weights; what they leave open is tried,
/// one after the other. Recordings without a transformers model are refused by their frames, in
/// O(frames). O(allocations + walks · a walk). Asked to stop it refuses.
Fit fitTo(const Recording& recording, const std::stop_token& stop = {});

/// The linear layers that the model of a recording may have; none where no frame names a family
/// that is known. O(allocations + frames).
std::vector<std::string> linearNamesIn(const Recording& recording);

/// A peak after a change: that of the recording, and what the walk makes of the change.
struct WalkedPeak {
    Bytes bytes;
    label::BucketBytes more{}; ///< Than at the recorded peak, by bucket.
};
/// Nothing where there is no such run, or where what does not train would need more. Requires a fit
/// that is accepted. A walk.
std::optional<WalkedPeak> peakAfter(const Fit& fit, const walk::RunShape& changed);

/// "llama, 4 × 512, autocast-bf16, adamw, sdpa".
std::string wordsOf(const Fit& fit);

} // namespace tidemark::fit
