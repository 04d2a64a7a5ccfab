// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/causes.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/settings_trial.h"
#include "core/diagnose/texts.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// What the fixes start from. References only.
struct FixInput {
    const CauseInput& in;
    const std::vector<CauseFinding>& causes;
    const SettingsTrial& trial;
    int gpus = 1;

    [[nodiscard]] bool hasCause(Cause cause) const;
    [[nodiscard]] bool hasTrait(label::Trait trait) const; ///< In any stack of the file. O(stacks).
    [[nodiscard]] bool inTraining() const; ///< The moment lies in a forward or backward pass.
    /// Of the bytes live at the moment and asked for.
    [[nodiscard]] double shareOfLive(std::int64_t bytes) const;
};

/// What was seen of a fix's evidence.
struct FixEvidence {
    bool applies = false;
    bool is_on = false;
    Figures figures; ///< For its texts.
};

/// A fix without change of sizes: what it does to need and capacity.
struct DirectEffect {
    Need need;
    Capacity capacity;
    Bytes new_peak;
    StateId new_peak_state;
    bool gives_room = false; ///< It frees nothing, but lets the process have more.
};

/// How one entry of resources/fixes.json is judged.
struct FixRule {
    std::string_view id;
    FixEvidence (*look)(const FixInput&);
    /// Changes to try, the mildest first; the first that fits is offered.
    std::vector<std::string> (*tries)(const FixInput&);
    /// For fixes that are no change of sizes; null for all others.
    std::optional<DirectEffect> (*effect)(const FixInput&) = nullptr;
};
/// One rule per entry of resources/fixes.json.
const FixRule* fixRule(std::string_view id);

/// Every fix of the ladder in its order, computed and judged, on several threads. Empty when
/// stopped.
std::vector<Fix> judgeFixes(const FixInput& input, const StagePart& progress);

} // namespace tidemark::diagnose
