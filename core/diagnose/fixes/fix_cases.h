// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/run_case.h"
#include "core/label/bucket.h"
#include "core/message/cause.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// When a fix may be offered at all: `when` in resources/fixes.json.
struct FixCase {
    std::string fix; ///< Its id in resources/fixes.json.
    std::vector<RunCase> runs; ///< Empty: all.
    std::vector<label::Phase> phases; ///< Empty: all.
    std::vector<Cause> not_if; ///< Not where one of these comes first.
    std::vector<Cause> cures; ///< Offered for these even where another moment needs as much.
};

/// What ran at the moment that counts.
struct CaseAtMoment {
    RunCase run = RunCase::unknown;
    label::Phase phase = label::Phase::other;
    std::optional<Cause> first; ///< The first cause.
};

/// All rows, as in the file. Parsed once; thread-safe.
const std::vector<FixCase>& fixCases();
/// Null for an id without a row.
const FixCase* fixCase(std::string_view fix);

/// Why the fix is none of this case, one sentence; empty where it may be offered.
std::string whyNotOfCase(const FixCase& row, const CaseAtMoment& at);

} // namespace tidemark::diagnose
