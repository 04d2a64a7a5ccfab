// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/changes.h"
#include "core/program/program.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tidemark::compare {

/// The way from a size in A to that of its partner in B, in bytes: what each change adds, in the
/// order sequence, micro-batch, rows, width. Their sum is the difference.
struct SizeSteps {
    std::int64_t sequence = 0;
    std::int64_t batch = 0;
    std::int64_t rows = 0;
    std::int64_t width = 0;
};

/// Nullopt: the changes do not lead from one size to the other. What the programs say of either
/// size comes first; then whether any product of the changes gives the ratio: × 64 is the square of
/// a sequence 8 times as long. O(1).
std::optional<SizeSteps> stepsBetween(const program::SizeUse& a, const program::SizeUse& b,
                                      const Growths& growths);
/// What the changes of batch and sequence alone would add to a size of A, as its first expression
/// says; nothing where it has none. O(1).
SizeSteps stepsFrom(const program::SizeUse& a, const Growths& growths);

} // namespace tidemark::compare
