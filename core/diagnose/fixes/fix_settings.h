// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/fixes/fixes.h"

#include <optional>
#include <string_view>

namespace tidemark::diagnose {

// Fixes that are allocator settings: judged by a replay of the run under them wherever the model of
// the allocator repeats the run, else by what is cached.

/// Evidence: it is set beside expandable segments, and as for those.
FixEvidence seeMaxSplit(const FixInput& f);

/// Evidence: the replay gets further or needs less; without one, a good part of what is reserved is
/// not in use.
FixEvidence seeExpandable(const FixInput& f);
std::optional<DirectEffect> effectOfExpandable(const FixInput& f);

/// Evidence: a replay under other settings gets past the request that failed, and expandable
/// segments do not or do not exist.
FixEvidence seeOtherSettings(const FixInput& f);
std::optional<DirectEffect> effectOfOtherSettings(const FixInput& f);

/// Evidence: a replay with one block of the expected peak, made early and freed, gets past the
/// request that failed, and expandable segments do not or do not exist.
FixEvidence seePreallocation(const FixInput& f);
std::optional<DirectEffect> effectOfPreallocation(const FixInput& f);

/// Whether a fix is one of the above.
bool isSettingsFix(std::string_view id);

} // namespace tidemark::diagnose
