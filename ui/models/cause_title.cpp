// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/cause_title.h"

#include <QtCore/QCoreApplication>

namespace tidemark::ui {
namespace {

const char* causeWords(diagnose::Cause cause)
{
    using enum diagnose::Cause;
    switch (cause) {
    case none:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle", "Nothing ran out");
    case model_states:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "Weights, gradients and optimizer state alone do not fit");
    case optimizer_state:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "The optimizer's state takes the last of the card");
    case gradients:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle", "Gradients take the last of the card");
    case activations:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle", "Activations fill the card");
    case activations_sequence:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "Matrices that grow with the square of the sequence");
    case logits:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle", "Logits over the whole vocabulary");
    case single_huge_tensor:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle", "One tensor that is far too large");
    case longest_batch:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "This batch is larger than those before it");
    case evaluation_accumulation:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "Evaluation keeps its results on the card");
    case evaluation_batch:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle", "The evaluation batch is too large");
    case kv_cache:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle", "The KV cache fills the GPU");
    case leak:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle", "Memory grows from step to step");
    case fragmentation:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "Enough bytes are free, but in no single hole");
    case compile_workspace:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "Workspaces of compilation or autotuning");
    case loading:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "It ran out before the first step, while loading");
    case other_process:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "Another process holds part of the card");
    case duplicate_ranks:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle", "Several ranks share one card");
    case non_pytorch_memory:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "Memory outside of PyTorch's allocator");
    case private_pools:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "Free memory is locked in private pools");
    case allocator_setting:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "An allocator setting gets in the way");
    case memory_fraction:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "The process is limited to a fraction of the card");
    case virtual_only:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle",
                                 "Reserved addresses without pages behind them");
    case host_memory:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle", "Host memory ran out, not the card's");
    case not_gpu_memory:
        return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle", "Not a matter of GPU memory");
    case unclear:
        break;
    }
    return QT_TRANSLATE_NOOP("tidemark::ui::CauseTitle", "The file does not show the cause");
}

} // namespace

QString causeTitle(diagnose::Cause cause)
{
    return QCoreApplication::translate("tidemark::ui::CauseTitle", causeWords(cause));
}

} // namespace tidemark::ui
