// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/what_if_controls.h"

#include "ui/views/panels/what_if_panel.h"

namespace tidemark::ui {
namespace {

using diagnose::Change;
using diagnose::ChangeKind;

Change word(ChangeKind kind, const char* value)
{
    return {kind, 0, value};
}

Change number(ChangeKind kind, int value)
{
    return {kind, static_cast<double>(value), {}};
}

std::vector<ChangeControl*> makeBatch(QWidget* group)
{
    std::vector<ChangeControl*> controls;
    controls.push_back(new RatioControl(
        ChangeKind::micro_batch, QStringLiteral("microBatch"), WhatIfPanel::tr("Micro-batch"),
        WhatIfPanel::tr("Samples per forward pass, against the recorded run."), group));
    controls.push_back(new CountControl(
        ChangeKind::accumulation, QStringLiteral("accumulation"), WhatIfPanel::tr("Accumulation"),
        WhatIfPanel::tr("Micro-batches per optimizer step; with micro-batch 1/N it keeps the "
                        "effective batch. From 2 on all gradients live through the later "
                        "forward passes."),
        {65536, 2}, WhatIfPanel::tr("as recorded"), group));
    controls.push_back(new RatioControl(
        ChangeKind::sequence, QStringLiteral("sequence"), WhatIfPanel::tr("Sequence"),
        WhatIfPanel::tr("Tokens per sample, against the recorded run."), group));
    controls.push_back(new CountControl(
        ChangeKind::eval_accumulation, QStringLiteral("evalAccumulation"),
        WhatIfPanel::tr("Evaluation keeps"),
        WhatIfPanel::tr("Batches whose results stay on the GPU before they move to the host "
                        "(eval_accumulation_steps)."),
        {1048576, 1}, WhatIfPanel::tr("as recorded"), group));
    return controls;
}

std::vector<ChangeControl*> makeActivations(QWidget* group)
{
    std::vector<ChangeControl*> controls;
    controls.push_back(new ChoiceControl(
        QStringLiteral("checkpointing"), WhatIfPanel::tr("Checkpointing"),
        WhatIfPanel::tr("Compute activations again in backward instead of keeping them."),
        {{word(ChangeKind::checkpointing, "full"), WhatIfPanel::tr("every block")},
         {word(ChangeKind::checkpointing, "attention"), WhatIfPanel::tr("attention of each block")},
         {word(ChangeKind::checkpointing, "selective"),
          WhatIfPanel::tr("attention matrices only")}},
        group));
    controls.push_back(new ChoiceControl(
        QStringLiteral("precision"), WhatIfPanel::tr("Precision"),
        WhatIfPanel::tr("Autocast keeps 32-bit weights; pure 16 bits halve all of it and "
                        "change the training."),
        {{word(ChangeKind::precision, "bf16"), WhatIfPanel::tr("bf16 autocast")},
         {word(ChangeKind::precision, "pure-bf16"), WhatIfPanel::tr("pure bf16")}},
        group));
    controls.push_back(new SwitchControl(
        word(ChangeKind::attention, "flash"), QStringLiteral("flash"),
        WhatIfPanel::tr("Flash attention"),
        WhatIfPanel::tr("Attention without stored matrices (scaled_dot_product_attention)."),
        group));
    controls.push_back(new SwitchControl(
        word(ChangeKind::fused_loss, "on"), QStringLiteral("fusedLoss"),
        WhatIfPanel::tr("Fused loss"),
        WhatIfPanel::tr("The loss in chunks, so that logits are never all there."), group));
    controls.push_back(new SwitchControl(
        word(ChangeKind::offload, "activations"), QStringLiteral("offloadActivations"),
        WhatIfPanel::tr("Offload activations"),
        WhatIfPanel::tr("Keep activations in host memory until backward."), group));
    return controls;
}

std::vector<ChangeControl*> makeOptimizer(QWidget* group)
{
    std::vector<ChangeControl*> controls;
    const ChoiceControl::Choices optimizers{
        {word(ChangeKind::optimizer, "adamw8bit"), WhatIfPanel::tr("8-bit AdamW")},
        {word(ChangeKind::optimizer, "paged-adamw8bit"), WhatIfPanel::tr("paged 8-bit AdamW")},
        {word(ChangeKind::optimizer, "adafactor"), QStringLiteral("Adafactor")},
        {word(ChangeKind::optimizer, "lion"), QStringLiteral("Lion")},
        {word(ChangeKind::optimizer, "muon"), QStringLiteral("Muon")},
        {word(ChangeKind::optimizer, "sgd-momentum"), WhatIfPanel::tr("SGD with momentum")},
        {word(ChangeKind::optimizer, "sgd"), QStringLiteral("SGD")},
    };
    controls.push_back(new ChoiceControl(
        QStringLiteral("optimizer"), WhatIfPanel::tr("Optimizer"),
        WhatIfPanel::tr("Another optimizer changes the training; check that it converges."),
        optimizers, group));
    controls.push_back(new ChoiceControl(
        QStringLiteral("offload"), WhatIfPanel::tr("Offload"),
        WhatIfPanel::tr("What lives in host memory instead."),
        {{word(ChangeKind::offload, "optimizer"), WhatIfPanel::tr("optimizer state")},
         {word(ChangeKind::offload, "parameters"), WhatIfPanel::tr("weights")}},
        group));
    controls.push_back(new SwitchControl(
        word(ChangeKind::foreach, "off"), QStringLiteral("foreach"),
        WhatIfPanel::tr("One tensor at a time (foreach off)"),
        WhatIfPanel::tr("No lists of temporaries as long as the model; a slower step."), group));
    controls.push_back(new SwitchControl(
        word(ChangeKind::fused, "on"), QStringLiteral("fused"), WhatIfPanel::tr("Fused optimizer"),
        WhatIfPanel::tr("One kernel without temporaries (fused=True)."), group));
    controls.push_back(new SwitchControl(
        word(ChangeKind::set_to_none, "on"), QStringLiteral("setToNone"),
        WhatIfPanel::tr("Gradients set to None"),
        WhatIfPanel::tr("zero_grad(set_to_none=True): gradients end with their step."), group));
    return controls;
}

std::vector<ChangeControl*> makeSharing(QWidget* group)
{
    std::vector<ChangeControl*> controls;
    controls.push_back(
        new ChoiceControl(QStringLiteral("zero"), WhatIfPanel::tr("ZeRO, FSDP"),
                          WhatIfPanel::tr("Share optimizer state, gradients, weights among GPUs."),
                          {{number(ChangeKind::zero, 1), WhatIfPanel::tr("stage 1: state")},
                           {number(ChangeKind::zero, 2), WhatIfPanel::tr("stage 2: and gradients")},
                           {number(ChangeKind::zero, 3), WhatIfPanel::tr("stage 3: and weights")}},
                          group, {number(ChangeKind::gpus, kUsualGpus)}));
    controls.push_back(
        new CountControl(ChangeKind::gpus, QStringLiteral("gpus"), WhatIfPanel::tr("GPUs"),
                         WhatIfPanel::tr("How many share the work."), {1048576, kUsualGpus},
                         WhatIfPanel::tr("as recorded"), group));
    controls.push_back(
        new CountControl(ChangeKind::lora, QStringLiteral("lora"), WhatIfPanel::tr("LoRA, rank"),
                         WhatIfPanel::tr("Train adapters of this rank instead of all weights."),
                         {65536, 16}, WhatIfPanel::tr("no"), group));
    controls.push_back(new CountControl(ChangeKind::qlora, QStringLiteral("qlora"),
                                        WhatIfPanel::tr("QLoRA, rank"),
                                        WhatIfPanel::tr("The same on weights in 4 bits."),
                                        {65536, 16}, WhatIfPanel::tr("no"), group));
    return controls;
}

} // namespace

QString whyNoEffect(ChangeKind kind)
{
    switch (kind) {
    case ChangeKind::micro_batch:
    case ChangeKind::sequence:
        return WhatIfPanel::tr("Nothing in this run was seen to follow the batch.");
    case ChangeKind::accumulation:
        return WhatIfPanel::tr("No gradients were seen in this run.");
    case ChangeKind::checkpointing:
        return WhatIfPanel::tr("No activations that wait for a backward pass were seen.");
    case ChangeKind::precision:
        return WhatIfPanel::tr("The run computes in 16 bits already, or nothing was seen that "
                               "would shrink.");
    case ChangeKind::optimizer:
        return WhatIfPanel::tr("No optimizer state was seen, and none is to come.");
    case ChangeKind::foreach:
    case ChangeKind::fused:
        return WhatIfPanel::tr("The optimizer step of this run makes no lists of temporaries.");
    case ChangeKind::set_to_none:
        return WhatIfPanel::tr("No gradients stay from one step to the next here.");
    case ChangeKind::attention:
        return WhatIfPanel::tr("No attention matrices were seen; a fused kernel may be in use.");
    case ChangeKind::fused_loss:
        return WhatIfPanel::tr("No logits of a loss were seen.");
    case ChangeKind::zero:
        return WhatIfPanel::tr("No weights, gradients or optimizer state were seen to share.");
    case ChangeKind::gpus:
        return WhatIfPanel::tr("Choose a ZeRO stage first: without one every GPU holds all of it.");
    case ChangeKind::offload:
        return WhatIfPanel::tr("There is nothing of that kind here to move to host memory.");
    case ChangeKind::lora:
    case ChangeKind::qlora:
        return WhatIfPanel::tr("No weights were seen that could get adapters.");
    case ChangeKind::eval_accumulation:
        return WhatIfPanel::tr("No results were seen that an evaluation collects.");
    }
    return {};
}

std::vector<ControlGroup> makeControlGroups(QWidget* parent)
{
    return {{WhatIfPanel::tr("Each step"), makeBatch(parent)},
            {WhatIfPanel::tr("Forward and backward"), makeActivations(parent)},
            {WhatIfPanel::tr("Optimizer"), makeOptimizer(parent)},
            {WhatIfPanel::tr("Several GPUs, adapters"), makeSharing(parent)}};
}

} // namespace tidemark::ui
