// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/what_if_controls.h"

#include <QtCore/QCoreApplication>

namespace tidemark::ui {
namespace {

using diagnose::Change;
using diagnose::ChangeKind;

QString translated(const char* words)
{
    return QCoreApplication::translate("tidemark::ui::WhatIfPanel", words);
}

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
        ChangeKind::micro_batch, QStringLiteral("microBatch"), translated("Micro-batch"),
        translated("Samples per forward pass, against the recorded run."), group));
    controls.push_back(new CountControl(
        ChangeKind::accumulation, QStringLiteral("accumulation"), translated("Accumulation"),
        translated("Micro-batches per optimizer step; with micro-batch 1/N it keeps the "
                   "effective batch. From 2 on all gradients live through the later "
                   "forward passes."),
        {65536, 2}, translated("as recorded"), group));
    controls.push_back(
        new RatioControl(ChangeKind::sequence, QStringLiteral("sequence"), translated("Sequence"),
                         translated("Tokens per sample, against the recorded run."), group));
    controls.push_back(new CountControl(
        ChangeKind::eval_accumulation, QStringLiteral("evalAccumulation"),
        translated("Evaluation keeps"),
        translated("Batches whose results stay on the GPU before they move to the host "
                   "(eval_accumulation_steps)."),
        {1048576, 1}, translated("as recorded"), group));
    return controls;
}

std::vector<ChangeControl*> makeActivations(QWidget* group)
{
    std::vector<ChangeControl*> controls;
    controls.push_back(new ChoiceControl(
        QStringLiteral("checkpointing"), translated("Checkpointing"),
        translated("Compute activations again in backward instead of keeping them."),
        {{word(ChangeKind::checkpointing, "full"), translated("every block")},
         {word(ChangeKind::checkpointing, "attention"), translated("attention of each block")},
         {word(ChangeKind::checkpointing, "selective"), translated("attention matrices only")}},
        group));
    controls.push_back(new ChoiceControl(
        QStringLiteral("precision"), translated("Precision"),
        translated("Autocast keeps 32-bit weights; pure 16 bits halve all of it and "
                   "change the training."),
        {{word(ChangeKind::precision, "bf16"), translated("bf16 autocast")},
         {word(ChangeKind::precision, "pure-bf16"), translated("pure bf16")}},
        group));
    controls.push_back(new SwitchControl(
        word(ChangeKind::attention, "flash"), QStringLiteral("flash"),
        translated("Flash attention"),
        translated("Attention without stored matrices (scaled_dot_product_attention)."), group));
    controls.push_back(new SwitchControl(
        word(ChangeKind::fused_loss, "on"), QStringLiteral("fusedLoss"), translated("Fused loss"),
        translated("The loss in chunks, so that logits are never all there."), group));
    controls.push_back(
        new SwitchControl(word(ChangeKind::offload, "activations"),
                          QStringLiteral("offloadActivations"), translated("Offload activations"),
                          translated("Keep activations in host memory until backward."), group));
    return controls;
}

std::vector<ChangeControl*> makeOptimizer(QWidget* group)
{
    std::vector<ChangeControl*> controls;
    const ChoiceControl::Choices optimizers{
        {word(ChangeKind::optimizer, "adamw8bit"), translated("8-bit AdamW")},
        {word(ChangeKind::optimizer, "paged-adamw8bit"), translated("paged 8-bit AdamW")},
        {word(ChangeKind::optimizer, "adafactor"), QStringLiteral("Adafactor")},
        {word(ChangeKind::optimizer, "lion"), QStringLiteral("Lion")},
        {word(ChangeKind::optimizer, "muon"), QStringLiteral("Muon")},
        {word(ChangeKind::optimizer, "sgd-momentum"), translated("SGD with momentum")},
        {word(ChangeKind::optimizer, "sgd"), QStringLiteral("SGD")},
    };
    controls.push_back(new ChoiceControl(
        QStringLiteral("optimizer"), translated("Optimizer"),
        translated("Another optimizer changes the training; check that it converges."), optimizers,
        group));
    controls.push_back(
        new ChoiceControl(QStringLiteral("offload"), translated("Offload"),
                          translated("What lives in host memory instead."),
                          {{word(ChangeKind::offload, "optimizer"), translated("optimizer state")},
                           {word(ChangeKind::offload, "parameters"), translated("weights")}},
                          group));
    controls.push_back(new SwitchControl(
        word(ChangeKind::foreach, "off"), QStringLiteral("foreach"),
        translated("One tensor at a time (foreach off)"),
        translated("No lists of temporaries as long as the model; a slower step."), group));
    controls.push_back(new SwitchControl(
        word(ChangeKind::fused, "on"), QStringLiteral("fused"), translated("Fused optimizer"),
        translated("One kernel without temporaries (fused=True)."), group));
    controls.push_back(new SwitchControl(
        word(ChangeKind::set_to_none, "on"), QStringLiteral("setToNone"),
        translated("Gradients set to None"),
        translated("zero_grad(set_to_none=True): gradients end with their step."), group));
    return controls;
}

std::vector<ChangeControl*> makeSharing(QWidget* group)
{
    std::vector<ChangeControl*> controls;
    controls.push_back(
        new ChoiceControl(QStringLiteral("zero"), translated("ZeRO, FSDP"),
                          translated("Share optimizer state, gradients, weights among GPUs."),
                          {{number(ChangeKind::zero, 1), translated("stage 1: state")},
                           {number(ChangeKind::zero, 2), translated("stage 2: and gradients")},
                           {number(ChangeKind::zero, 3), translated("stage 3: and weights")}},
                          group, {number(ChangeKind::gpus, kUsualGpus)}));
    controls.push_back(new CountControl(ChangeKind::gpus, QStringLiteral("gpus"),
                                        translated("GPUs"), translated("How many share the work."),
                                        {1048576, kUsualGpus}, translated("as recorded"), group));
    controls.push_back(
        new CountControl(ChangeKind::lora, QStringLiteral("lora"), translated("LoRA, rank"),
                         translated("Train adapters of this rank instead of all weights."),
                         {65536, 16}, translated("no"), group));
    controls.push_back(new CountControl(
        ChangeKind::qlora, QStringLiteral("qlora"), translated("QLoRA, rank"),
        translated("The same on weights in 4 bits."), {65536, 16}, translated("no"), group));
    return controls;
}

} // namespace

QString whyNoEffect(ChangeKind kind)
{
    switch (kind) {
    case ChangeKind::micro_batch:
    case ChangeKind::sequence:
        return translated("Nothing in this run was seen to follow the batch.");
    case ChangeKind::accumulation:
        return translated("No gradients were seen in this run.");
    case ChangeKind::checkpointing:
        return translated("No activations that wait for a backward pass were seen.");
    case ChangeKind::precision:
        return translated("The run computes in 16 bits already, or nothing was seen that "
                          "would shrink.");
    case ChangeKind::optimizer:
        return translated("No optimizer state was seen, and none is to come.");
    case ChangeKind::foreach:
    case ChangeKind::fused:
        return translated("The optimizer step of this run makes no lists of temporaries.");
    case ChangeKind::set_to_none:
        return translated("No gradients stay from one step to the next here.");
    case ChangeKind::attention:
        return translated("No attention matrices were seen; a fused kernel may be in use.");
    case ChangeKind::fused_loss:
        return translated("No logits of a loss were seen.");
    case ChangeKind::zero:
        return translated("No weights, gradients or optimizer state were seen to share.");
    case ChangeKind::gpus:
        return translated("Choose a ZeRO stage first: without one every GPU holds all of it.");
    case ChangeKind::offload:
        return translated("There is nothing of that kind here to move to host memory.");
    case ChangeKind::lora:
    case ChangeKind::qlora:
        return translated("No weights were seen that could get adapters.");
    case ChangeKind::eval_accumulation:
        return translated("No results were seen that an evaluation collects.");
    }
    return {};
}

std::vector<ControlGroup> makeControlGroups(QWidget* parent)
{
    return {{translated("Each step"), makeBatch(parent)},
            {translated("Forward and backward"), makeActivations(parent)},
            {translated("Optimizer"), makeOptimizer(parent)},
            {translated("Several GPUs, adapters"), makeSharing(parent)}};
}

} // namespace tidemark::ui
