// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/answer.h"
#include "core/diagnose/fixes/fixes.h"
#include "core/diagnose/fixes/trial.h"

#include <string>

namespace tidemark::diagnose {

/// The answer for a run that fits as it is.
Answer nothingNeeded(const Outcome& recorded);

/// What the set leads to: need before and after, what stays free, the effective batch.
std::string answerSentence(const FixInput& input, const Answer& answer, const Outcome& outcome,
                           const std::string& titles);

/// What one member of a set does alone and with which others it fits.
std::string togetherSentence(const OwnEffect& alone, const std::string& others);

} // namespace tidemark::diagnose
