// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/run_activity.h"

#include "core/base/ascii.h"
#include "core/message/code_words.h"
#include "core/message/log_window.h"
#include "core/message/traps.h"

#include <algorithm>
#include <array>
#include <string>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kLongestTraceback = 6000; ///< Bytes before the error.

/// What the frames before the error ran. `no_grad` as a decorator leaves a frame of its own, which
/// optimizers have, too.
RunActivity activityOfFrames(std::string_view frames)
{
    if (containsAnyPiece(frames,
                         {"_engine_run_backward", "torch.autograd.backward", "loss.backward(",
                          "inbackward", "torch/optim/", "intraining_step", ";intrain",
                          "inner_training_loop"})) {
        return RunActivity::training;
    }
    if (containsAnyPiece(frames,
                         {";inevaluat", ";invalid", ";intest", ";inpredict", ";ineval",
                          "evaluation_loop", "prediction_step"})) {
        return RunActivity::evaluation;
    }
    const bool is_off = containsAnyPiece(frames, {"indecorate_context", "ininference_mode"});
    return is_off
            || containsAnyPiece(frames,
                                {";ingenerate", ";insample", ";indecode", ";ininfer",
                                 "in__call__return", "api_server", "/vllm/", "/sglang/", "/comfy/"})
        ? RunActivity::inference
        : RunActivity::unknown;
}

/// Where a word begins with `beginning`, from `from` on: "reserved" does not with "serve".
std::size_t wordBeginning(std::string_view small, std::string_view beginning, std::size_t from)
{
    std::size_t at = small.find(beginning, from);
    while (at != std::string_view::npos && at > 0 && isLetter(small[at - 1])) {
        at = small.find(beginning, at + 1);
    }
    return at;
}

/// "training", "train.py", "num_train_epochs"; not "pretrained", nor what a model was trained on.
bool namesTraining(std::string_view small)
{
    static constexpr std::string_view kTrain = "train";
    for (std::size_t at = wordBeginning(small, kTrain, 0); at != std::string_view::npos;
         at = wordBeginning(small, kTrain, at + 1)) {
        if (!small.substr(at).starts_with("trained")) {
            return true;
        }
    }
    return false;
}

} // namespace

RunActivity runActivity(std::string_view text, std::size_t error_at)
{
    error_at = std::min(error_at, text.size());
    const std::size_t from = error_at - std::min(error_at, kLongestTraceback);
    const std::string before = squeezedText(text.substr(from, error_at - from));
    const std::size_t traceback = before.rfind("traceback(mostrecentcalllast)");
    const RunActivity of_frames = activityOfFrames(
        std::string_view(before).substr(traceback == std::string::npos ? 0 : traceback));
    if (of_frames != RunActivity::unknown) {
        return of_frames;
    }
    const std::string small = lowered(text.substr(0, kPostedText));
    const auto begins = [&](std::string_view word) {
        return wordBeginning(small, word, 0) != std::string::npos;
    };
    static constexpr std::array<std::string_view, 27> kOfTraining{
        "zero-2",   "zero-3",     "zero3",          "dpo",      "sft",      "ppo",
        "fsdp",     "deepspeed",  "训练",           "微调",     "学习",     "학습",
        "学習",     "훈련",       "finetun",        "fine-tun", "fine tun", "epoch",
        "backward", "optimizer",  "gradient_accum", "grpo",     "rlhf",     "qlora",
        "adamw",    "loraconfig", "learning_rate"};
    static constexpr std::array<std::string_view, 32> kOfInference{
        "chat",     "推理",     "生成",       "部署",       "추론",     "推論",    "inference",
        "infer.",   "generate", "generation", "generating", "serving",  "served",  "vllm",
        "sglang",   "lmdeploy", "ollama",     "llama.cpp",  "comfyui",  "webui",   "demo",
        "sampling", "txt2img",  "img2img",    "text-to-",   "api_serv", "predict", "decod",
        "upscal",   "chatbot",  "tensorrt",   "transcri"};
    if (namesTraining(small) || std::ranges::any_of(kOfTraining, begins)) {
        return RunActivity::training;
    }
    return std::ranges::any_of(kOfInference, begins) ? RunActivity::inference
                                                     : RunActivity::unknown;
}

} // namespace tidemark::diagnose
