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
                          toSay("Made by cuBLAS, cuDNN or an autotuner as working memory")};
    }
    if (kinds.lineTraits(stack).has(Trait::reducer)) {
        return FrameLabel{Bucket::gradient, Role::reduction_bucket, 90, "ddp-bucket",
                          toSay("Made by DistributedDataParallel's reducer")};
    }
    if (t.has(Trait::reduce_gradients)) {
        return std::nullopt;
    }
    if (t.has(Trait::unshard)) {
        return FrameLabel{
            Bucket::parameter, Role::unsharded, 85, "unsharded-parameter",
            toSay("Weights that FSDP or ZeRO-3 gathered, or DataParallel copied, for use")};
    }
    if (t.has(Trait::communication)) {
        return FrameLabel{Bucket::communication, Role::none, 80, "collective-buffer",
                          toSay("Made by a collective operation")};
    }
    if (kinds.kind(stack) == StackKind::load_optimizer) {
        return FrameLabel{Bucket::optimizer_state, Role::none, 85, "optimizer-state-loaded",
                          toSay("Made while an optimizer's state was loaded")};
    }
    return std::nullopt;
}

} // namespace tidemark::label
