// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/program/program.h"
#include "core/report/document.h"
#include "core/report/json.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tidemark::report {

/// The object that `program --json` prints, of some of the devices. Requires programs. Expressions
/// are formulas over the names of dimensions: they give the bytes.
Json programsJson(const diagnose::Analysis& analysis, std::span<const std::size_t> devices);

/// The same for people: one line first, then each dimension with what shows it, the sizes with the
/// largest shares, and the weights.
Document programDocument(const diagnose::Analysis& analysis, std::span<const std::size_t> devices);

/// "4 × 1,024 tokens · hidden 1,024 · 16 heads · 24 layers · vocabulary 10,000"; empty: no
/// dimension is known.
std::string programLine(const program::Program& program);

} // namespace tidemark::report
