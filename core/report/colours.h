// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/bucket.h"

#include <array>
#include <string_view>

namespace tidemark::report {

/// Fill colours of the bands in HTML reports, as "#RRGGBB": Tol's bright and muted sets, distinct
/// for common colour-blindness. Index = bucket.
inline constexpr std::array<std::string_view, label::kBucketCount> kBucketColours{
    "#4477AA", "#228833", "#EE6677", "#882255", "#66CCEE", "#DDAA33",
    "#44AA99", "#AA3377", "#999933", "#332288", "#BBBBBB"};

/// Index = phase.
inline constexpr std::array<std::string_view, label::kPhaseCount> kPhaseColours{
    "#C4C4C4", "#DADADA", "#7AA6D6", "#E59AA3", "#8FC49A", "#B8A0D0", "#8FC9C4", "#EEEEEE"};

/// For capacity and out-of-memory events, and for nothing else.
inline constexpr std::string_view kAlarmColour = "#CC3311";

constexpr std::string_view bucketColour(label::Bucket bucket)
{
    return kBucketColours[label::indexOf(bucket)];
}

constexpr std::string_view phaseColour(label::Phase phase)
{
    return kPhaseColours[static_cast<std::size_t>(phase)];
}

} // namespace tidemark::report
