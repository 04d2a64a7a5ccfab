// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/fixes/fixes.h"
#include "core/diagnose/fixes/trial.h"

#include <span>
#include <string>

namespace tidemark::diagnose {

/// What is seen of one fix's evidence, before anything is tried. Its status is final unless
/// `has_evidence`. O(allocations).
JudgedFix lookFor(const FixInput& input, const FixText& text);

/// The changes of a fix that are worth a prediction.
std::span<const std::string> triesOf(const FixInput& input, const JudgedFix& judged);

/// Which of a fix's changes fits, and what follows. O(tries) once they are prepared.
void judgeAlone(Trials& trials, JudgedFix& judged);

/// The figures of a fix from what it leads to.
void setFigures(const FixInput& input, const Outcome& outcome, Fix& fix);

/// What an outcome saves at the moment that counts.
Bytes savedBy(const FixInput& input, const Outcome& outcome);

/// Why it is not known whether an outcome fits, one sentence.
std::string whyUnknown(const Outcome& outcome);

} // namespace tidemark::diagnose
