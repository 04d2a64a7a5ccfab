// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/frame_labels.h"

#include "core/base/language.h"

namespace tidemark::label {

std::optional<FrameLabel> labelOfFrames(const StackKinds& kinds, StackId stack)
{
    const Traits t = kinds.traits(stack);
    if (t.has(Trait::workspace)) {
        return FrameLabel{Bucket::workspace, Role::none, 95, "library-workspace",
                          toSay("Workspace of cuBLAS, cuDNN or an autotuner")};
    }
    if (kinds.lineTraits(stack).has(Trait::reducer)) {
        return FrameLabel{Bucket::gradient, Role::reduction_bucket, 90, "ddp-bucket",
                          toSay("Allocated by DistributedDataParallel's reducer")};
    }
    if (t.has(Trait::reduce_gradients)) {
        return std::nullopt;
    }
    if (t.has(Trait::unshard)) {
        return FrameLabel{Bucket::parameter, Role::unsharded, 85, "unsharded-parameter",
                          toSay("Weights gathered by FSDP or ZeRO-3, or copied by DataParallel")};
    }
    if (t.has(Trait::communication)) {
        return FrameLabel{Bucket::communication, Role::none, 80, "collective-buffer",
                          toSay("Allocated by a collective operation")};
    }
    if (kinds.kind(stack) == StackKind::load_optimizer) {
        return FrameLabel{Bucket::optimizer_state, Role::none, 85, "optimizer-state-loaded",
                          toSay("Allocated while loading optimizer state")};
    }
    return std::nullopt;
}

} // namespace tidemark::label
