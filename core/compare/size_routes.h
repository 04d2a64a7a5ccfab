// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/changes.h"
#include "core/program/program.h"

#include <optional>
#include <vector>

namespace tidemark::compare {

/// How a size in A becomes that of its partner in B: to which power it follows each change of batch
/// and sequence, and how much wider its elements become.
struct SizeRoute {
    int sequence = 0;
    int batch = 0;
    int rows = 0;
    double width = 1;
};

/// Nullopt: the changes do not lead from one size to the other. What the programs say of either
/// size comes first; then whether any product of the changes gives the ratio: × 64 is the square of
/// a sequence 8 times as long. From B to A it is the same route. O(1).
std::optional<SizeRoute> routeBetween(const program::SizeUse& a, const program::SizeUse& b,
                                      const Growths& growths);
/// How a size without a partner would follow batch and sequence, as its first expression says; a
/// route that leads nowhere where it has none. O(1).
SizeRoute routeOf(const program::SizeUse& use);

/// What a route multiplies a size by.
double ratioOf(const SizeRoute& route, const Growths& growths);

} // namespace tidemark::compare
