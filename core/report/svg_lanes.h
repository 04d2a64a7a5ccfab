// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/difference.h"
#include "core/diagnose/analysis.h"

#include <array>
#include <string>

namespace tidemark::report {

/// Two runs and what B holds beyond A, below each other, on one axis on which the same places of
/// both coincide, as one SVG element; both runs have one scale of bytes. Requires
/// `difference.moments`; without any the axis is the one of events.
std::string lanesSvg(const diagnose::Analysis& a, const diagnose::Analysis& b,
                     const compare::Difference& difference,
                     const std::array<std::string, 2>& letters = {"A", "B"});

/// What the drawing shows, a sentence for each run.
std::string lanesSentence(const diagnose::Analysis& a, const diagnose::Analysis& b,
                          const compare::Difference& difference,
                          const std::array<std::string, 2>& letters = {"A", "B"});

} // namespace tidemark::report
