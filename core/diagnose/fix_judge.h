// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/fixes.h"
#include "core/diagnose/trial.h"

#include <stop_token>
#include <string>

namespace tidemark::diagnose {

/// One remedy alone: whether its evidence is there, which of its changes fits, what follows.
/// O(tries · prediction).
JudgedFix judgeAlone(const FixInput& input, const FixText& text, const std::stop_token& stop);

/// The figures of a fix from what it leads to.
void setFigures(const FixInput& input, const Outcome& outcome, Fix& fix);

/// What an outcome saves at the moment that counts.
Bytes savedBy(const FixInput& input, const Outcome& outcome);

/// Why it is not known whether an outcome fits, one sentence.
std::string whyUnknown(const Outcome& outcome);

/// A whole number of bytes near `bytes`.
Bytes roundedBytes(double bytes);

} // namespace tidemark::diagnose
