// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/difference.h"
#include "core/compare/run_traits.h"
#include "core/compare/side.h"

#include <string>
#include <vector>

namespace tidemark::compare {

/// "backward of step 1"; empty where no phase is known.
std::string phaseWords(const Side& side, StateId state);

/// Adds what makes the runs hard to compare, and what still holds.
void addWarnings(const Side& a, const RunTraits& traits_a, const Side& b, const RunTraits& traits_b,
                 Difference& difference);

/// The answer in sentences: the headline, where the peaks lie, what each change explains, which
/// places grew, what is equal, what is unexplained.
std::vector<Sentence> sentencesOf(const Side& a, const Side& b, const Difference& difference);

/// "The sequence × 8 (128 → 1024)", to begin a sentence with.
std::string changeWords(const Side& a, const Side& b, const RunChange& change);

} // namespace tidemark::compare
