// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/change_words.h"

#include "core/base/joined.h"
#include "core/base/language.h"

#include <fmt/format.h>

namespace tidemark::diagnose {
namespace {

constexpr double kLargestRatio = 1024;
constexpr double kMostSteps = 65536;
constexpr double kMostGpus = 1048576;

std::vector<ChangeWord> makeWords()
{
    using enum ChangeKind;
    using enum ChangeGroup;
    return {
        {.kind = micro_batch,
         .id = "micro-batch",
         .group = step,
         .title = toSay("Micro-batch"),
         .help = toSay("Samples per forward pass, against the recorded run."),
         .no_effect = toSay("Nothing in this run was seen to follow the batch."),
         .form = ValueForm::ratio,
         .unit = "R",
         .largest = kLargestRatio},
        {.kind = accumulation,
         .id = "accumulation",
         .group = step,
         .title = toSay("Accumulation"),
         .help = toSay("Micro-batches per optimizer step; with micro-batch 1/N it keeps the "
                       "effective batch. From 2 on all gradients live through the later "
                       "forward passes."),
         .no_effect = toSay("No gradients were seen in this run."),
         .form = ValueForm::count,
         .unit = "N",
         .largest = kMostSteps,
         .usual = 2},
        {.kind = sequence,
         .id = "sequence",
         .group = step,
         .title = toSay("Sequence"),
         .help = toSay("Tokens per sample, against the recorded run."),
         .no_effect = toSay("Nothing in this run was seen to follow the batch."),
         .form = ValueForm::ratio,
         .unit = "R",
         .largest = kLargestRatio},
        {.kind = checkpointing,
         .id = "checkpointing",
         .group = passes,
         .title = toSay("Checkpointing"),
         .help = toSay("Compute activations again in backward instead of keeping them."),
         .no_effect = toSay("No activations that wait for a backward pass were seen."),
         .form = ValueForm::word,
         .values = {{"full", toSay("every block")},
                    {"attention", toSay("attention of each block")},
                    {"selective", toSay("attention matrices only")}}},
        {.kind = precision,
         .id = "precision",
         .group = passes,
         .title = toSay("Precision"),
         .help = toSay("Autocast keeps 32-bit weights; pure 16 bits halve all of it and "
                       "change the training."),
         .no_effect = toSay("The run computes in 16 bits already, or nothing was seen that "
                            "would shrink."),
         .form = ValueForm::word,
         .values = {{values::kBf16, toSay("bf16 autocast")},
                    {values::kPureBf16, toSay("pure bf16")}}},
        {.kind = optimizer,
         .id = "optimizer",
         .group = optimizer_step,
         .title = toSay("Optimizer"),
         .help = toSay("Another optimizer changes the training; check that it converges."),
         .no_effect = toSay("No optimizer state was seen, and none is to come."),
         .form = ValueForm::word,
         .values = {{"adamw8bit", toSay("8-bit AdamW")},
                    {"paged-adamw8bit", toSay("paged 8-bit AdamW")},
                    {"adafactor", "Adafactor"},
                    {"lion", "Lion"},
                    {"muon", "Muon"},
                    {values::kSgdMomentum, toSay("SGD with momentum")},
                    {values::kSgd, "SGD"}}},
        {.kind = foreach,
         .id = "foreach",
         .group = optimizer_step,
         .title = toSay("One tensor at a time (foreach off)"),
         .help = toSay("No lists of temporaries as long as the model; a slower step."),
         .no_effect = toSay("The optimizer step of this run makes no lists of temporaries."),
         .form = ValueForm::word,
         .values = {{"off"}}},
        {.kind = fused,
         .id = "fused",
         .group = optimizer_step,
         .title = toSay("Fused optimizer"),
         .help = toSay("One kernel without temporaries (fused=True)."),
         .no_effect = toSay("The optimizer step of this run makes no lists of temporaries."),
         .form = ValueForm::word,
         .values = {{"on"}}},
        {.kind = set_to_none,
         .id = "set-to-none",
         .group = optimizer_step,
         .title = toSay("Gradients set to None"),
         .help = toSay("zero_grad(set_to_none=True): gradients end with their step."),
         .no_effect = toSay("No gradients stay from one step to the next here."),
         .form = ValueForm::word,
         .values = {{"on"}}},
        {.kind = attention,
         .id = "attention",
         .group = passes,
         .title = toSay("Flash attention"),
         .help = toSay("Attention without stored matrices (scaled_dot_product_attention)."),
         .no_effect = toSay("No attention matrices were seen; a fused kernel may be in use."),
         .form = ValueForm::word,
         .values = {{"flash"}}},
        {.kind = fused_loss,
         .id = "fused-loss",
         .group = passes,
         .title = toSay("Fused loss"),
         .help = toSay("The loss in chunks, so that logits are never all there."),
         .no_effect = toSay("No logits of a loss were seen."),
         .form = ValueForm::word_or_count,
         .unit = "PARTS",
         .largest = kMostSteps,
         .values = {{.word = "on"},
                    {.word = "recompute", .old_word = "remade", .takes_count = true}}},
        {.kind = zero,
         .id = "zero",
         .group = sharing,
         .title = toSay("ZeRO, FSDP"),
         .help = toSay("Share optimizer state, gradients, weights among GPUs."),
         .no_effect = toSay("No weights, gradients or optimizer state were seen to share."),
         .form = ValueForm::count,
         .largest = 3,
         .values = {{"1", toSay("stage 1: state")},
                    {"2", toSay("stage 2: and gradients")},
                    {"3", toSay("stage 3: and weights")}}},
        {.kind = gpus,
         .id = "gpus",
         .group = sharing,
         .title = toSay("GPUs"),
         .help = toSay("How many share the work."),
         .no_effect = toSay("Choose a ZeRO stage first: without one every GPU holds all of it."),
         .form = ValueForm::count,
         .unit = "N",
         .largest = kMostGpus,
         .usual = 8},
        {.kind = offload,
         .id = "offload",
         .group = optimizer_step,
         .title = toSay("Offload"),
         .help = toSay("What lives in host memory instead."),
         .no_effect = toSay("There is nothing of that kind here to move to host memory."),
         .form = ValueForm::word,
         .values = {{"optimizer", toSay("optimizer state")},
                    {"parameters", toSay("weights")},
                    {"activations", toSay("Offload activations"),
                     toSay("Keep activations in host memory until backward."), passes}}},
        {.kind = lora,
         .id = "lora",
         .group = sharing,
         .title = toSay("LoRA, rank"),
         .help = toSay("Train adapters of this rank instead of all weights, on LAYERS "
                       "(q_proj,v_proj; all-linear) or the usual ones."),
         .no_effect = toSay("No weights were seen that could get adapters."),
         .form = ValueForm::count,
         .unit = "RANK",
         .largest = kMostSteps,
         .usual = 16,
         .excludes = qlora,
         .as_recorded = toSay("no"),
         .takes_layers = true},
        {.kind = qlora,
         .id = "qlora",
         .group = sharing,
         .title = toSay("QLoRA, rank"),
         .help = toSay("The same on weights in 4 bits."),
         .no_effect = toSay("No weights were seen that could get adapters."),
         .form = ValueForm::count,
         .unit = "RANK",
         .largest = kMostSteps,
         .usual = 16,
         .excludes = lora,
         .as_recorded = toSay("no"),
         .takes_layers = true},
        {.kind = eval_accumulation,
         .id = "eval-accumulation",
         .group = step,
         .title = toSay("Evaluation keeps"),
         .help = toSay("Batches whose results stay on the GPU before they move to the host "
                       "(eval_accumulation_steps)."),
         .no_effect = toSay("No results were seen that an evaluation collects."),
         .form = ValueForm::count,
         .unit = "N",
         .largest = kMostGpus,
         .usual = 1},
    };
}

} // namespace

const std::vector<ChangeWord>& changeWords()
{
    static const std::vector<ChangeWord> kWords = makeWords();
    return kWords;
}

const ChangeWord& changeWord(ChangeKind kind)
{
    return changeWords().at(static_cast<std::size_t>(kind));
}

std::string grammarOf(const ChangeWord& word)
{
    std::vector<std::string> forms;
    for (const ChangeValue& value : word.values) {
        forms.emplace_back(value.word);
    }
    if (!word.unit.empty()) {
        forms.emplace_back(word.unit);
    }
    if (word.takes_layers) {
        forms.push_back(fmt::format("{}:LAYERS", word.unit));
    }
    for (const ChangeValue& value : word.values) {
        if (value.takes_count) {
            forms.push_back(fmt::format("{}-{}", value.word, word.unit));
        }
    }
    return fmt::format("{}={}", word.id, joined(forms, "|"));
}

} // namespace tidemark::diagnose
