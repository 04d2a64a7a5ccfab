// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/difference.h"
#include "core/diagnose/analysis.h"

#include <filesystem>
#include <string>

namespace tidemark::report {

/// Two runs and how they differ as a JSON object that `tests/cli/score_compare.py` scores: `a`, `b`
/// (relative to `folder`, where the case is to lie), `apply` in the words of `predict --apply`,
/// `peak_requested_before` and `peak_requested_after`, and beside them all `changes` that were
/// found and `unexplained_bytes`. Whoever knows better corrects `apply`.
std::string pairCase(const diagnose::Analysis& a, const diagnose::Analysis& b,
                     const compare::Difference& difference, const std::filesystem::path& folder);

} // namespace tidemark::report
