// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/adapters.h"
#include "core/compare/side.h"
#include "core/diagnose/facts/in_use.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::compare {

enum class Precision : std::uint8_t {
    unknown,
    full, ///< Weights of 32 bits, and no copies of them.
    autocast, ///< Weights of 32 bits with 16-bit copies of most of their matrices.
    narrow, ///< Weights of 16 bits.
};
/// "fp32", "autocast", "16-bit", "not known".
std::string nameOf(Precision precision);

/// Allocations half as large as a weight, which belong to no set of weights.
struct Halves {
    std::int64_t count = 0;
    bool are_copies = false; ///< Of weights, nearly all of them.
};

/// What one run was, as far as it can be held against another.
struct RunTraits {
    /// Bytes of a weight → bytes of an element (0: not known); empty: no weights are known.
    std::map<std::int64_t, std::int32_t> weights;
    std::map<std::int64_t, std::int64_t> weight_counts; ///< Bytes of a weight → how many there are.
    /// Bytes of a weight of 32 bits → what is made half as large, beside weights of that size.
    std::map<std::int64_t, Halves> halves;
    std::int64_t parameters = 0; ///< Elements of all of them.
    bool is_exact = false; ///< All are trained; else buffers may be among them.
    std::int64_t trained = 0; ///< Bytes of those with a gradient or a state.
    Adapters adapters;
    Precision precision = Precision::unknown;
    bool has_forward = false; ///< Of any kind.
    bool has_graph = false; ///< Autograd saves something for backward.
    bool has_backward = false;
    bool has_optimizer = false;
    bool makes_again = false; ///< Backward makes activations again: checkpointing.
    bool keeps_matrices = false; ///< Attention matrices are saved for backward.
    std::vector<StackId> matrix_stacks; ///< That make these, the one with the most bytes first.
    std::int64_t states = 0; ///< Bytes of optimizer state, the most there were.
    double states_per_byte = -1; ///< Of optimizer state per byte that is trained; −1 unknown.
    std::int64_t passes_per_step = 0; ///< Of training; 0: no step is complete.
    std::int64_t leak_per_step = 0; ///< Bytes by which lines rise that do not stop rising.
    std::vector<StackId> leaking; ///< Those lines.
    std::int64_t compiled_bytes = 0; ///< Of generated code's own buffers, alive at the peak.
    bool is_compiled = false;
    std::vector<diagnose::InUse> in_use; ///< Fixes that frames show.
    bool died = false;
};

/// The parameters of two runs as text: to the last digit where they are exact. Weights that only
/// one of them has and that are few are tables that follow the sequence: they are not counted.
std::pair<std::string, std::string> parameterTexts(const RunTraits& a, const RunTraits& b);

/// O(allocations log steps + frames).
RunTraits traitsOf(const Side& side);

/// What two runs of the same weights tell of each other's precision, where one of them alone does
/// not: halves of matrices that one run makes and the other never does are autocast's copies.
/// O(weights).
void tellPrecisions(RunTraits& a, RunTraits& b);
/// Whether something of the runs itself tells that their precisions differ.
[[nodiscard]] bool areToldApart(const RunTraits& a, const RunTraits& b);

} // namespace tidemark::compare
