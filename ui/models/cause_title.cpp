// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/cause_title.h"

namespace tidemark::ui {
namespace {

const char* causeWords(diagnose::Cause cause)
{
    using enum diagnose::Cause;
    switch (cause) {
    case none:
        return "Nothing ran out";
    case model_states:
        return "Weights, gradients and optimizer state alone do not fit";
    case optimizer_state:
        return "The optimizer's state takes the last of the card";
    case gradients:
        return "Gradients take the last of the card";
    case activations:
        return "Activations fill the card";
    case activations_sequence:
        return "Matrices that grow with the square of the sequence";
    case logits:
        return "Logits over the whole vocabulary";
    case single_huge_tensor:
        return "One tensor that is far too large";
    case longest_batch:
        return "This batch is larger than those before it";
    case evaluation_accumulation:
        return "Evaluation keeps its results on the card";
    case evaluation_batch:
        return "The evaluation batch is too large";
    case kv_cache:
        return "The key-value cache fills the card";
    case leak:
        return "Memory grows from step to step";
    case fragmentation:
        return "Enough bytes are free, but in no single hole";
    case compile_workspace:
        return "Workspaces of compilation or autotuning";
    case loading:
        return "It ran out before the first step, while loading";
    case other_process:
        return "Another process holds part of the card";
    case duplicate_ranks:
        return "Several ranks share one card";
    case non_pytorch_memory:
        return "Memory outside of PyTorch's allocator";
    case private_pools:
        return "Free memory is locked in private pools";
    case allocator_setting:
        return "An allocator setting gets in the way";
    case memory_fraction:
        return "The process is limited to a fraction of the card";
    case virtual_only:
        return "Reserved addresses without pages behind them";
    case host_memory:
        return "Host memory ran out, not the card's";
    case not_gpu_memory:
        return "Not a matter of GPU memory";
    case unclear:
        break;
    }
    return "The file does not show the cause";
}

} // namespace

QString causeTitle(diagnose::Cause cause)
{
    return QString::fromUtf8(causeWords(cause));
}

} // namespace tidemark::ui
