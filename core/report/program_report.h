// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/language.h"
#include "core/diagnose/analysis.h"
#include "core/program/program.h"
#include "core/report/document.h"
#include "core/report/json.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::report {

/// The object that `program --json` prints, of some of the devices. Requires programs. Expressions
/// are formulas over the names of dimensions: they give the bytes.
Json programsJson(const diagnose::Analysis& analysis, std::span<const std::size_t> devices);

/// The same for people: one line first, then each dimension with what shows it, the sizes with the
/// largest shares, and the weights.
Document programDocument(const diagnose::Analysis& analysis, std::span<const std::size_t> devices);

/// What `program --fit` adds to a device: the model and the run whose walk has most of its peak's
/// bytes, or why there is none. Some walks.
Json fitJson(const diagnose::Analysis& analysis, std::size_t device);
Section fitSection(const diagnose::Analysis& analysis, std::size_t device);

/// In place of the line where no dimension is known.
inline constexpr std::string_view kNoDimensions =
    toSay("The model's dimensions could not be inferred.");

/// Some of the words below, and the dimensions that they say.
struct DimensionPiece {
    std::string text; ///< "4 × 1,024 tokens".
    std::vector<program::DimensionName> names;
};
std::vector<DimensionPiece> dimensionPieces(const program::Program& program);

/// "4 × 1,024 tokens · hidden 1,024 · 16 heads · 24 layers · vocabulary 10,000"; empty: no
/// dimension is known.
std::string programLine(const program::Program& program);

/// What shows a dimension, how sure it is and what fits nearly as well, in two sentences.
std::string evidenceText(const program::Dimension& dimension);
/// "tokens · hidden · 4 B"; several are joined by "or"; empty: no product is that size.
std::string expressionsText(const program::SizeUse& use);

} // namespace tidemark::report
