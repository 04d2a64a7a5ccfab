// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/config/run_config.h"
#include "core/diagnose/answer.h"
#include "core/diagnose/causes/causes.h"
#include "core/diagnose/fixes/fix_cases.h"
#include "core/diagnose/fixes/settings_trial.h"
#include "core/message/cause.h"
#include "core/message/fix.h"
#include "core/message/texts.h"

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
    const config::RunConfig* config = nullptr; ///< What the user gave of the run's configuration.

    [[nodiscard]] bool hasCause(Cause cause) const;
    [[nodiscard]] CaseAtMoment caseAtMoment() const;
    [[nodiscard]] bool hasTrait(label::Trait trait) const; ///< In any stack of the file. O(stacks).
    [[nodiscard]] bool inTraining() const; ///< The moment lies in a forward or backward pass.
    /// Its batch surely cannot be made smaller: by the configuration, or by the sizes.
    [[nodiscard]] bool hasOneSample() const;
    /// Of the bytes live at the moment and asked for.
    [[nodiscard]] double shareOfLive(std::int64_t bytes) const;
};

/// What was seen of a fix's evidence.
struct FixEvidence {
    bool applies = false;
    bool is_on = false;
    Figures figures; ///< For its texts.
    std::optional<Bytes> host{}; ///< Host memory that it would take.
    std::string why_not{}; ///< Where it does not apply, instead of the text; empty: the text.
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
    /// Changes to try that depend on the run, the mildest first; the first that fits is offered.
    /// Null: those of resources/fixes.json.
    std::vector<std::string> (*tries)(const FixInput&) = nullptr;
    /// For fixes that are no change of sizes; null for all others.
    std::optional<DirectEffect> (*effect)(const FixInput&) = nullptr;
    /// An effect that adds to any change of sizes. Others free bytes that a change may free as
    /// well, so they are judged alone.
    bool composes = false;

    /// Whether it does anything that can be computed.
    [[nodiscard]] bool hasRun(const std::vector<std::string>& changes) const
    {
        return effect != nullptr || !changes.empty();
    }
};
// The tables of the rules, by what the fixes are about; null: not in this one.
const FixRule* directFixRule(std::string_view id);
const FixRule* programFixRule(std::string_view id);
const FixRule* inferenceFixRule(std::string_view id);
const FixRule* optimizerFixRule(std::string_view id);
/// One rule per entry of resources/fixes.json.
const FixRule* fixRule(std::string_view id);

/// What one fix came to, with what a search for sets needs of it.
struct JudgedFix {
    Fix fix;
    const FixText* text = nullptr;
    const FixRule* rule = nullptr;
    Figures figures; ///< Of its texts, without those of the change that was chosen.
    bool composes = true; ///< It can be a member of a set.
    bool has_evidence = false; ///< It is on the ladder for this run, if perhaps not for long.
    std::vector<std::string> tries; ///< The mildest first.
};

/// The ladder of one run: each fix alone, the cheapest set that fits, the knobs solved
/// backwards.
struct Ladder {
    std::vector<Fix> fixes; ///< In cost order.
    std::optional<Answer> answer;
    Limits limits;
};
/// On several threads. Empty when stopped. O(some hundred predictions) at most.
Ladder judgeFixes(const FixInput& input, const StagePart& progress);

/// Title and lines to paste with the figures of `apply`, a change in `predict --apply` words.
void writeTexts(const FixInput& input, const JudgedFix& judged, const std::string& apply, Fix& fix);

} // namespace tidemark::diagnose
