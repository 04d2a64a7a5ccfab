// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::label {

/// Sizes in bytes → how many allocations have them.
using SizeCounts = std::map<std::int64_t, std::int64_t>;

/// Dimensions of tensors with fewer elements are not told from chance.
inline constexpr std::int64_t kFewestElements = 8;

/// The dimensions of a model as the sizes of its parameters show them.
struct ModelSizes {
    std::int64_t element = 0; ///< Bytes per element; 0: not known, and then nothing else is.
    std::int64_t hidden = 0; ///< Length of the most common vector, elements.
    std::string reason; ///< What gives the width of an element.
    std::vector<std::int64_t> vectors; ///< Bytes, the most common first.
    std::set<std::int64_t> dimensions; ///< Elements.
    /// Of a matrix's bytes: the pairs of vectors that explain it, elements, the larger first.
    std::map<std::int64_t, std::set<std::pair<std::int64_t, std::int64_t>>> shapes;
};

/// Nothing where the sizes allow several widths, or where they are no plain floating-point weights.
/// O(sizes log sizes + vectors²); vectors are bounded.
ModelSizes findModelSizes(const SizeCounts& parameters);

} // namespace tidemark::label
