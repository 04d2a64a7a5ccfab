// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/program.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tidemark::fit {

/// A number → how many there are.
using Counts = std::map<std::int64_t, std::int64_t>;
/// The most frequent, of equal ones the largest; 0: there are none.
std::int64_t mostFrequent(const Counts& counts);

/// The frozen weights of a model as counts of rows beside the hidden size; of one that trains no
/// adapters all of them.
struct Weights {
    std::int64_t hidden = 0;
    std::int32_t width = 4; ///< Bytes of an element.
    Counts rows; ///< Of what hidden divides, from 9 on.
    Counts bytes; ///< Of any weight.
    bool adapts = false; ///< Less than half is trained.
    std::int64_t rank = 0; ///< The smallest side of what is trained; 0: not known.
    std::int64_t trained = 0; ///< Elements.
    std::int64_t states = 0; ///< The optimizer's, per trained element.

    [[nodiscard]] std::int64_t elementsOf(std::int64_t weight_bytes) const
    {
        return weight_bytes / width;
    }
};

/// As the program reads them, then with the other width that elements may have. None where the
/// weights show no model, or have more sizes than models have.
std::vector<Weights> weightsOf(const program::Program& program);

} // namespace tidemark::fit
