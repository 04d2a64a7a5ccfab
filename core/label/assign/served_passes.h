// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

namespace tidemark::label {

class Assigner;
struct RuleInputs;

/// Caches with room for all tokens, made once a generation and let go of after it: equal tensors,
/// keys and values of two layers at least, that a line outside of the model makes, and that then
/// serve eight passes without gradients or more. What the line makes again is a cache whether or
/// not it came to serve. Passes are counted by the line of the model that allocates least often.
/// O(allocations log).
void labelServedPasses(const RuleInputs& evidence, Assigner& labels);

} // namespace tidemark::label
