// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/answer.h"
#include "core/diagnose/fixes.h"

#include <stop_token>

namespace tidemark::diagnose {

/// The largest micro-batch, the longest sequence and the fewest GPUs with which the run fits, each
/// alone. By bisection: a value that fits for certain and the next one, which does not. At most
/// some 80 predictions, on several threads.
Limits findLimits(const FixInput& input, const std::stop_token& stop);

} // namespace tidemark::diagnose
