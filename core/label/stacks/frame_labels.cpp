// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/frame_labels.h"

namespace tidemark::label {

std::optional<FrameLabel> labelOfFrames(const StackKinds& kinds, StackId stack)
{
    const Traits t = kinds.traits(stack);
    if (t.has(Trait::workspace)) {
        return FrameLabel{Bucket::workspace, Role::none, Rule::library_workspace};
    }
    if (kinds.lineTraits(stack).has(Trait::reducer)) {
        return FrameLabel{Bucket::gradient, Role::reduction_bucket, Rule::ddp_bucket};
    }
    if (t.has(Trait::reduce_gradients)) {
        return std::nullopt;
    }
    if (t.has(Trait::unshard)) {
        return FrameLabel{Bucket::parameter, Role::unsharded, Rule::unsharded_parameter};
    }
    if (t.has(Trait::communication)) {
        return FrameLabel{Bucket::communication, Role::none, Rule::collective_buffer};
    }
    if (kinds.kind(stack) == StackKind::load_optimizer) {
        return FrameLabel{Bucket::optimizer_state, Role::none, Rule::optimizer_state_loaded};
    }
    return std::nullopt;
}

} // namespace tidemark::label
