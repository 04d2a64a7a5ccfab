// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/living.h"
#include "core/compare/run_traits.h"

#include <string>
#include <utility>
#include <vector>

namespace tidemark::compare {

/// The operations that make the attention matrices of two runs that both keep them, where none of
/// their places is one of the other's: math attention beside an eager one. Empty: they share one.
std::pair<std::string, std::string> otherAttention(const Both& both, const RunTraits& a,
                                                   const RunTraits& b);

/// Which stacks pass through a call of attention, as one of the runs shows it: the line that calls
/// the function that makes its attention matrices. Another kind of attention makes other copies
/// there: of repeated keys, of products before softmax, of what a fused kernel returns.
struct AttentionCalls {
    std::vector<bool> in_a; ///< By stack.
    std::vector<bool> in_b;
};
/// O(frames of all stacks · log).
AttentionCalls attentionCalls(const Both& both, const RunTraits& a, const RunTraits& b);

} // namespace tidemark::compare
