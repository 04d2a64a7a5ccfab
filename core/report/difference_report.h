// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/difference.h"
#include "core/report/document.h"
#include "core/report/json.h"

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::report {

/// The object that `compare --json` prints. Σ `changes[].explains_bytes` + `unexplained_bytes` is
/// the difference of what is compared: of the peaks, unless other moments were asked for.
Json differenceJson(const diagnose::Analysis& a, const diagnose::Analysis& b,
                    const compare::Difference& difference);

/// What would help either run, at most two lines each: first what the other one has already, then
/// what is recommended, then what would help, in the ladder's order. Empty where nothing would,
/// and without a diagnosis of both.
std::vector<std::string> helpLines(const diagnose::Analysis& a, std::string_view letter_a,
                                   const diagnose::Analysis& b, std::string_view letter_b,
                                   const compare::Difference& d);

/// The same for people: the answer in sentences, what changed, the differences by bucket and by
/// place, the prediction beside the measurement, the allocators. All bytes of a table have one
/// unit.
std::vector<Section> differenceSections(const diagnose::Analysis& a, const diagnose::Analysis& b,
                                        const compare::Difference& difference);
Document differenceDocument(const diagnose::Analysis& a, const diagnose::Analysis& b,
                            const compare::Difference& difference);

} // namespace tidemark::report
