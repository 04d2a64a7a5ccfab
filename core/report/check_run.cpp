// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/check_run.h"

#include "core/base/language.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tidemark::report {
namespace {

using diagnose::Fix;
using diagnose::FixStatus;

/// What has to happen in a run before it shows what a change does.
enum class Kind : std::uint8_t {
    steps, ///< The second step has all states.
    many_steps, ///< What grows shows only over some.
    longest, ///< The largest batch first.
    evaluation,
    request, ///< Serving.
};

Kind kindOf(std::string_view fix)
{
    const auto is = [fix](auto... names) { return ((fix == names) || ...); };
    if (is("leak")) {
        return Kind::many_steps;
    }
    if (is("longest-batch", "sequence", "resolution")) {
        return Kind::longest;
    }
    if (is("evaluation-accumulation", "evaluation-batch")) {
        return Kind::evaluation;
    }
    if (is("inference-mode", "inference-batch", "logits-to-keep", "kv-cache-limit",
           "kv-cache-static", "kv-cache-fp8", "weights-16bit", "weights-8bit", "weights-4bit",
           "vllm-share", "sglang-share")) {
        return Kind::request;
    }
    return Kind::steps;
}

std::string sentenceOf(Kind kind)
{
    switch (kind) {
    case Kind::many_steps:
        return say("Run 50 steps and compare torch.cuda.memory_allocated() after steps 10 and 50: "
                   "it must not grow.");
    case Kind::longest:
        return say(
            "Run three steps, longest samples first, and check torch.cuda.max_memory_reserved().");
    case Kind::evaluation:
        return say(
            "Run one step and a whole evaluation, then check torch.cuda.max_memory_reserved().");
    case Kind::request:
        return say("Generate one batch of the longest prompts to full length, without training, "
                   "and check torch.cuda.max_memory_reserved().");
    case Kind::steps:
        break;
    }
    return say("Run three steps (the first allocates the optimizer state), then check "
               "torch.cuda.max_memory_reserved().");
}

struct Line {
    Kind kind;
    std::string_view framework;
    std::string_view line;
};

constexpr std::array kLines{
    Line{Kind::steps, "HF Trainer", "TrainingArguments(max_steps=3, save_strategy=\"no\")"},
    Line{Kind::steps, "TRL", "SFTConfig(max_steps=3, save_strategy=\"no\")"},
    Line{Kind::steps, "Lightning",
         "Trainer(max_steps=3, enable_checkpointing=False, num_sanity_val_steps=0)"},
    Line{Kind::steps, "veRL",
         "trainer.total_training_steps=3 trainer.val_before_train=False trainer.save_freq=-1"},
    Line{Kind::steps, "Megatron", "--train-iters 3 --eval-iters 0"},
    Line{Kind::steps, "torchtune", "max_steps_per_epoch=3 epochs=1"},
    Line{Kind::many_steps, "HF Trainer",
         "TrainingArguments(max_steps=50, logging_steps=1, save_strategy=\"no\")"},
    Line{Kind::many_steps, "TRL", "SFTConfig(max_steps=50, logging_steps=1, save_strategy=\"no\")"},
    Line{Kind::many_steps, "Lightning", "Trainer(max_steps=50, enable_checkpointing=False)"},
    Line{Kind::many_steps, "veRL", "trainer.total_training_steps=50 trainer.save_freq=-1"},
    Line{Kind::many_steps, "Megatron", "--train-iters 50 --log-interval 1"},
    Line{Kind::evaluation, "HF Trainer",
         "TrainingArguments(max_steps=1, eval_strategy=\"steps\", eval_steps=1)"},
    Line{Kind::evaluation, "TRL", "SFTConfig(max_steps=1, eval_strategy=\"steps\", eval_steps=1)"},
    Line{Kind::evaluation, "Lightning", "Trainer(max_steps=1, val_check_interval=1)"},
    Line{Kind::evaluation, "veRL",
         "trainer.total_training_steps=1 trainer.test_freq=1 trainer.val_before_train=True"},
    Line{Kind::evaluation, "Megatron", "--train-iters 1 --eval-interval 1"},
};

} // namespace

CheckRun checkRunOf(const Fix& fix, std::span<const std::string> frameworks)
{
    const Kind kind = kindOf(fix.id);
    // Long samples first is a matter of the data; the run itself is as short.
    const Kind lines = kind == Kind::longest ? Kind::steps : kind;
    CheckRun run{sentenceOf(kind), {}, {}};
    for (const std::string& framework : frameworks) {
        const auto found = std::ranges::find_if(kLines, [&](const Line& line) {
            return line.kind == lines && line.framework == framework;
        });
        if (found != kLines.end()) {
            run.line = found->line;
            run.framework = framework;
            break;
        }
    }
    return run;
}

std::vector<CheckRun> checkRunsOf(std::span<const Fix> fixes,
                                  std::span<const std::string> frameworks)
{
    std::vector<CheckRun> runs;
    for (const Fix& fix : fixes) {
        if (fix.status != FixStatus::recommended && fix.status != FixStatus::would_help) {
            continue;
        }
        CheckRun run = checkRunOf(fix, frameworks);
        if (std::ranges::find(runs, run) == runs.end()) {
            runs.push_back(std::move(run));
        }
    }
    return runs;
}

} // namespace tidemark::report
