// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/fixes/fixes.h"

#include <string>

namespace tidemark::diagnose {

/// "1/2" for 0.5, "3/4" for 0.75; other ratios as they are.
std::string fractionText(double ratio);

/// The figures of a change in `predict --apply` words: ratio, fraction, accumulation, batches, and
/// `micro`, `accumulating`, `per_step`, which name both numbers where the configuration tells them.
void addChangeFigures(const FixInput& input, const std::string& apply, Figures& figures);

/// "8 sequences per step as before" for a change of the micro-batch; empty for all others.
std::string effectiveBatchText(const FixInput& input, const std::string& apply);

/// Micro-batches that make the same step, the mildest first, as changes: by the divisors of the
/// micro-batch where the configuration tells it, else by halves.
std::vector<std::string> smallerMicroBatches(const FixInput& input);

} // namespace tidemark::diagnose
