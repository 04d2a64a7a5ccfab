// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

namespace tidemark::label {

class Assigner;
struct RuleInputs;

/// Without a backward, as in evolution strategies and zeroth-order methods: what one line outside
/// of the model makes in the sizes of its weights while these stay, and lets go of again, is noise
/// that is added to them. It is no input, result or graph of the passes that it lives through.
/// O(allocations log).
void labelPerturbations(const RuleInputs& evidence, Assigner& labels);

} // namespace tidemark::label
