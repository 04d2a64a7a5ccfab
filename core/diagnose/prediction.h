// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/base/units.h"
#include "core/diagnose/budget.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::diagnose {

/// What makes a prediction: a walk where one fits the recording, else laws; or laws alone.
enum class Engine : std::uint8_t { laws, walk };

/// One prediction: the timeline recomputed with the affected allocations changed.
struct Prediction {
    std::size_t device = 0; ///< Index into the snapshot's devices.
    Bytes before_peak;
    Bytes before_need;
    Bytes before_reserved; ///< What the run needs from the driver: need + overhead.
    Bytes after_peak;
    Bytes after_low; ///< Interval of the peak.
    Bytes after_high;
    StateId after_peak_state;
    Bytes after_need;
    Bytes after_need_low;
    Bytes after_need_high;
    Bytes after_reserved; ///< Best estimate.
    Bytes after_reserved_low;
    Bytes after_reserved_high;
    std::optional<Bytes> capacity; ///< As in `DeviceDiagnosis`.
    Bytes capacity_unsure{};
    std::optional<bool> fits;
    Engine by = Engine::laws;
    std::vector<std::string> assumptions;
    std::vector<std::int64_t> after_active; ///< Per state, bytes: the ghost curve.
    /// What the run is made of at the moment that counts; unset where no curve was wanted.
    std::optional<Budget> before_budget;
    std::optional<Budget> after_budget;

    /// Requires a capacity.
    [[nodiscard]] Bytes mostCapacity() const
    {
        return *capacity + capacity_unsure;
    }
};

} // namespace tidemark::diagnose
