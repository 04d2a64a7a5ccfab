// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/diagnose/answer.h"
#include "core/diagnose/moment.h"
#include "core/message/cause.h"
#include "core/message/fix.h"
#include "core/message/oom_message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::diagnose {

/// The recipe read off the persistent buckets: bytes per parameter of weights, gradients and
/// states.
struct Recipe {
    std::int64_t parameters = 0; ///< Number of trainable parameters, estimated.
    double weight_bytes = 0; ///< Per parameter.
    double gradient_bytes = 0;
    double state_bytes = 0;
    double copy_bytes = 0; ///< A full-precision master copy, an average of the weights.
    double master_bytes = 0; ///< The first of these alone.
    double average_bytes = 0; ///< The second alone (EMA).
    std::string text; ///< "fp32 weights + Adam: 16 B × 17.4 M parameters"; empty if not recognised.
    std::string excluded; ///< The recipe that it might be taken for, and why it is not; or empty.
};

struct DeviceDiagnosis {
    Moment moment;
    std::vector<CauseFinding> causes; ///< Ranked; at least one.
    std::vector<Finding> findings; ///< In the order of a story; may be empty.
    Bytes need; ///< Requested bytes: active + failed request + what is known to follow; the peak
                ///< without OOM.
    Bytes need_low; ///< Where what is to follow is an estimate, its interval; else the need.
    Bytes need_high;
    Bytes known_to_follow; ///< Part of the need: e.g. optimizer state not made yet.
    Bytes overhead; ///< Reserved − active that remains: need + overhead is compared with the
                    ///< capacity.
    std::optional<Bytes> capacity; ///< Of an interval the lower end, which decides what fits.
    Bytes capacity_unsure{}; ///< How much more it may be.
    std::string capacity_source; ///< Where it comes from, or what is missing.
    Recipe recipe;
    std::vector<Fix> fixes; ///< In the ladder's order: by cost rank.
    /// Whether other allocator settings would have helped, by replay; empty where none was made.
    std::string settings_verdict;
    std::optional<Answer> answer; ///< Unset where no change helps, or none is needed to be known.
    Limits limits;
    std::string
        headline; ///< "Out of memory in backward of step 2: activations take 78 % of the GPU".
    std::string explanation; ///< Two or three sentences under it.
    std::string fix_headline; ///< "Cheapest change that fits: …".
    std::string fix_explanation;

    /// Requires a capacity.
    [[nodiscard]] Bytes mostCapacity() const
    {
        return *capacity + capacity_unsure;
    }
};

struct Diagnosis {
    std::optional<OomMessage> message; ///< If the user gave one that could be read.
    std::vector<DeviceDiagnosis> devices; ///< Same order as the snapshot's.
    std::string
        sum_check; ///< "buckets + cached + private pools + outside PyTorch = …" of the main device.
};

} // namespace tidemark::diagnose
