// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/cause.h"
#include "core/diagnose/fix.h"

namespace tidemark::diagnose {

std::string_view causeId(Cause cause)
{
    static constexpr std::array<std::string_view, 26> kIds{"none",
                                                           "model-states",
                                                           "optimizer-state",
                                                           "gradients",
                                                           "activations",
                                                           "activations-sequence",
                                                           "logits",
                                                           "single-huge-tensor",
                                                           "longest-batch",
                                                           "evaluation-accumulation",
                                                           "evaluation-batch",
                                                           "kv-cache",
                                                           "leak",
                                                           "fragmentation",
                                                           "compile-workspace",
                                                           "loading",
                                                           "other-process",
                                                           "duplicate-ranks",
                                                           "non-pytorch-memory",
                                                           "private-pools",
                                                           "allocator-setting",
                                                           "memory-fraction",
                                                           "virtual-only",
                                                           "host-memory",
                                                           "not-gpu-memory",
                                                           "unclear"};
    static_assert(kIds.size() == static_cast<std::size_t>(Cause::unclear) + 1);
    return kIds[static_cast<std::size_t>(cause)];
}

std::string_view fixStatusId(FixStatus status)
{
    static constexpr std::array<std::string_view, 6> kIds{
        "recommended", "would-help", "already-on", "not-needed", "not-enough", "not-applicable"};
    static_assert(kIds.size() == static_cast<std::size_t>(FixStatus::not_applicable) + 1);
    return kIds[static_cast<std::size_t>(status)];
}

} // namespace tidemark::diagnose
