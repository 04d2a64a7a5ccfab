// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/answer.h"
#include "core/diagnose/fixes/trial.h"

namespace tidemark::diagnose {

/// The largest micro-batch, the longest sequence and the fewest GPUs with which the run fits, each
/// alone: a value that fits for certain and the next one, which does not. Smaller micro-batches are
/// those that accumulation makes the recorded one of. All knobs are halved in side by side, so that
/// they share passes over the trace; some hundred predictions at most.
Limits findLimits(Trials& trials);

} // namespace tidemark::diagnose
