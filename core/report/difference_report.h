// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/difference.h"
#include "core/report/documents.h"
#include "core/report/json.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tidemark::report {

/// The object that `compare --json` prints. Σ `changes[].explains_bytes` + `unexplained_bytes` is
/// the difference of what is compared: of the peaks, unless other moments were asked for.
Json differenceJson(const diagnose::Analysis& a, const diagnose::Analysis& b,
                    const compare::Difference& difference);

/// The same for people: the answer in sentences, what changed, the differences by bucket and by
/// place, the prediction beside the measurement, the allocators, what would help. All bytes of a
/// table have one unit.
std::vector<Section> differenceSections(const diagnose::Analysis& a, const diagnose::Analysis& b,
                                        const compare::Difference& difference,
                                        const Letters& letters, std::size_t most_places);
Document differenceDocument(const diagnose::Analysis& a, const diagnose::Analysis& b,
                            const compare::Difference& difference);

/// The answer alone, to paste into an issue: Markdown (CommonMark) that ends with a line break.
std::string differenceMarkdown(const diagnose::Analysis& a, const diagnose::Analysis& b,
                               const compare::Difference& difference, const Letters& letters);

} // namespace tidemark::report
