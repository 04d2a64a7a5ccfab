// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/study.h"
#include "core/diagnose/facts/facts.h"
#include "core/diagnose/moment.h"
#include "core/diagnose/predict/need.h"

#include <optional>
#include <string>

namespace tidemark::diagnose {

/// What replays of the run under other allocator settings came to.
struct SettingsTrial {
    /// None: nothing speaks for it, or the model does not repeat this run.
    std::optional<allocator::Study> study;
    bool is_relevant = false; ///< The run ran out, or much is reserved and not in use.
    /// Expandable segments exist where the run ran (not on Windows).
    bool can_expand = true;
    Bytes most_capacity; ///< What it may be at most; the study has its lower end.
};
/// A good part of what is reserved at the moment is not in use.
bool hasMuchCached(const Moment& moment);

/// Replays a run that died under all settings worth trying, another one with much cached under
/// expandable segments. Empty when stopped, and for host memory. O(settings · events · log blocks).
SettingsTrial trySettings(const Facts& facts, const NeedBasis& basis, const StagePart& part);

/// What one replay says about the run at hand.
struct SettingsOutcome {
    bool helps = false; ///< It gets further, or needs less.
    bool fits = false; ///< It gets past all requests that failed, or needs less throughout.
    std::string sentence;
    Need need; ///< Of the run under these settings.
};
SettingsOutcome outcomeOf(const Facts& facts, const NeedBasis& basis, const SettingsTrial& trial,
                          const allocator::Simulation& replay);

/// The replay under expandable segments and, unless the run had them beside max_split_size_mb,
/// nothing else; null if there is none.
const allocator::Simulation* expandableReplay(const SettingsTrial& trial);
/// The one with a first block that is freed at once; null if there is none, as where expandable
/// segments are enough.
const allocator::Simulation* preallocatedReplay(const SettingsTrial& trial);
/// The best one under any other settings; null if there is none.
const allocator::Simulation* bestOtherReplay(const SettingsTrial& trial);

/// Whether allocator settings can help a run that ran out, in a sentence or two; empty where
/// nothing was tried.
std::string settingsVerdict(const Facts& facts, const SettingsTrial& trial);

} // namespace tidemark::diagnose
