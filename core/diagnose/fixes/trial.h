// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/fixes/fixes.h"
#include "core/diagnose/predict/predict.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark::diagnose {

/// One or several fixes taken together.
struct Trial {
    std::string apply; ///< Changes of sizes; may be empty.
    std::vector<const FixRule*> direct; ///< Fixes that change no size.
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

/// Tries fixes out on one run. What all trials share is computed once, each list of changes
/// once, and those that are asked for together in a few passes over the trace. Not for several
/// threads at a time; uses some itself. `input` must outlive it.
class Trials {
public:
    explicit Trials(const FixInput& input, std::stop_token stop = {});

    [[nodiscard]] const FixInput& input() const
    {
        return m_input;
    }
    [[nodiscard]] const std::stop_token& stop() const
    {
        return m_stop;
    }
    /// Predicts lists of changes, in `predict --apply` words, that will be asked for.
    /// O(states · lists), see `predictRuns`.
    void prepare(std::span<const std::string> lists);
    void prepare(std::span<const Trial> trials);

    /// Changes are composed allocation by allocation; fixes that change no size then take away
    /// what they take away from the recorded run. As `recordedOutcome` if not reached before a
    /// stop. O(1) if prepared, else O(one prediction).
    [[nodiscard]] Outcome outcomeOf(const Trial& trial);
    /// Several, prepared together.
    [[nodiscard]] std::vector<Outcome> outcomesOf(std::span<const Trial> trials);

private:
    const FixInput& m_input;
    std::stop_token m_stop;
    RunChanger m_changer;
    std::unordered_map<std::string, PredictedRun> m_known; ///< By their words.
};

} // namespace tidemark::diagnose
