// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/program.h"

#include <cstdint>
#include <string>

namespace tidemark::compare {

/// Of adapters without shapes.
inline constexpr std::int64_t kUnknownRank = -1;

/// Low-rank adapters beside a frozen model (LoRA): for each matrix of out × in that has one, one of
/// rank × in and one of out × rank are trained.
struct Adapters {
    std::int64_t rank = 0; ///< 0: none; or `kUnknownRank`.
    std::int64_t matrices = 0; ///< That have one; 0: not known.
    std::int64_t linears = 0; ///< The model's, without embedding and head; 0: not known.
    std::int64_t parameters = 0; ///< Trained elements.

    friend bool operator==(const Adapters&, const Adapters&) = default;
};

/// O(sizes of weights²).
Adapters adaptersOf(const program::Weights& weights);

/// "rank 16 on 8 of 28 linear layers"; "none".
std::string nameOf(const Adapters& adapters);

} // namespace tidemark::compare
