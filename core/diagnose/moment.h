// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/units.h"
#include "core/label/bucket.h"

#include <optional>

namespace tidemark::diagnose {

/// The moment the diagnosis is about: the last OOM event, else the peak.
struct Moment {
    StateId state; ///< The state just before the OOM, or the peak.
    bool is_oom = false;
    EventId oom; ///< None without OOM.
    Bytes active; ///< Requested bytes live then.
    Bytes reserved;
    Bytes requested; ///< The failed request (rounded as in the trace); 0 without OOM.
    Bytes tried; ///< What the driver was asked for; 0 without OOM.
    std::optional<Bytes> device_free; ///< None without OOM, or where the file does not say.
    Bytes largest_hole; ///< That the request could have used.
    label::BucketBytes buckets{};
};

} // namespace tidemark::diagnose
