// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/max_pyramid.h"
#include "core/diagnose/analysis.h"
#include "core/diagnose/prediction.h"

#include <QtCore/QString>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::ui {

// What may be drawn over a recorded timeline.

/// A predicted timeline to be drawn over the recorded one.
struct Ghost {
    QString title; ///< Of the change.
    diagnose::Prediction prediction;
    MaxPyramid pyramid; ///< Over `prediction.after_active`.
};

/// The shown device's run replayed under other allocator settings, to be drawn beside the recorded
/// one.
struct SimulatedRun {
    QString settings;
    std::size_t device = 0;
    /// The recorded analysis with the places of the simulation on that device.
    diagnose::Analysis analysis;
    StateId known_until; ///< It ran out there, or the trace ends.
    Bytes reserved_peak;
    StateId reserved_peak_state;
    MaxPyramid pyramid; ///< Over `reserved()`.

    [[nodiscard]] const std::vector<std::int64_t>& reserved() const
    {
        return analysis.replay->devices[device].reserved;
    }
};

} // namespace tidemark::ui
