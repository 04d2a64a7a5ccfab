// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/bucket.h"
#include "core/label/label_rules.h"
#include "core/label/stacks/stack_kinds.h"

#include <optional>

namespace tidemark::label {

/// What frames say by themselves, in whichever phase.
struct FrameLabel {
    Bucket bucket = Bucket::unknown;
    Role role = Role::none;
    Rule rule = Rule::no_evidence;
};

/// Nothing where the phase decides; of a sharded model's gradients on their way to `.grad`, too:
/// what is left of them when backward is over tells. O(1).
std::optional<FrameLabel> labelOfFrames(const StackKinds& kinds, StackId stack);

} // namespace tidemark::label
