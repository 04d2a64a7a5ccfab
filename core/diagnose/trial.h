// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/fixes.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace tidemark::diagnose {

/// One or several remedies taken together.
struct Trial {
    std::string apply; ///< Changes of sizes; may be empty.
    std::vector<const FixRule*> direct; ///< Remedies that change no size.
};

/// What a trial leads to.
struct Outcome {
    Need need;
    Capacity capacity;
    Bytes peak; ///< With its interval and place.
    Bytes peak_low;
    Bytes peak_high;
    StateId peak_state;
    bool gives_room = false; ///< The process may have more.
    std::optional<bool> fits;

    /// Of what the run needs from the driver at best, in bytes; 0 without a capacity.
    [[nodiscard]] Bytes shortBy() const;
    /// Capacity less the upper end of what is needed from the driver.
    [[nodiscard]] std::optional<Bytes> margin() const;
};

/// The run with nothing changed.
Outcome recordedOutcome(const FixInput& input);

/// Changes are composed allocation by allocation; remedies that change no size then take away what
/// they take away from the recorded run. O(one prediction).
Outcome tryOut(const FixInput& input, const Trial& trial);

/// Several, on several threads. Those not reached before a stop are as `recordedOutcome`.
std::vector<Outcome> tryOut(const FixInput& input, std::span<const Trial> trials,
                            const std::stop_token& stop);

} // namespace tidemark::diagnose
