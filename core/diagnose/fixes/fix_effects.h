// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/fixes/fixes.h"

#include <optional>

namespace tidemark::diagnose {

/// The run as it was.
DirectEffect unchangedEffect(const FixInput& f);

// Fixes that change no size of the recorded run, but what is kept or allowed.

/// Evidence: the same place leaves more alive after each step.
FixEvidence seeLeak(const FixInput& f);
std::optional<DirectEffect> effectOfLeak(const FixInput& f);

/// Evidence: a limit for this process in the message, with the driver having room.
FixEvidence seeFraction(const FixInput& f);
std::optional<DirectEffect> effectOfFraction(const FixInput& f);

/// Evidence: other processes on the card, by the message.
FixEvidence seeOthers(const FixInput& f);
std::optional<DirectEffect> effectOfOthers(const FixInput& f);

} // namespace tidemark::diagnose
