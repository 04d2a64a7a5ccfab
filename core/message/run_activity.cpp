// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/run_activity.h"

#include "core/base/ascii.h"
#include "core/message/code_words.h"
#include "core/message/log_window.h"
#include "core/message/post_words.h"
#include "core/message/traps.h"

#include <algorithm>
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

/// By the name of the program: "train_net.py", "test.py", "demo/infer_image.py".
RunActivity activityOfScript(std::string_view name)
{
    const auto has = [&](std::string_view word) { return countWord(name, word) > 0; };
    if (has("train*") || has("finetun*") || has("pretrain*") || has("retrain*")) {
        return RunActivity::training;
    }
    if (has("test*") || has("eval*") || has("valid*") || has("val")) {
        return RunActivity::evaluation;
    }
    const bool runs_forward = has("infer*") || has("demo*") || has("predict*") || has("generat*")
        || has("sample*") || has("render*") || has("extract*") || has("detect*") || has("webui*")
        || has("app") || has("server*") || has("upscale*") || has("translat*") || has("transcri*");
    return runs_forward ? RunActivity::inference : RunActivity::unknown;
}

/// The program that a traceback begins in, `File "test.py", line 5, in <module>`, or a command
/// starts, "python tools/test.py": the last one that says what it does.
RunActivity activityOfScripts(std::string_view small)
{
    static constexpr std::size_t kLongestPath = 200;
    RunActivity last = RunActivity::unknown;
    for (std::size_t at = small.find(".py"); at != std::string_view::npos;
         at = small.find(".py", at + 1)) {
        const std::size_t from = at - std::min(at, kLongestPath);
        std::string_view before = small.substr(from, at - from);
        before.remove_prefix(before.rfind('\n') + 1); // npos + 1: none
        const std::string_view name = before.substr(before.find_last_of(" \t\"'`/\\") + 1);
        const std::string_view path = before.substr(before.find_last_of(" \t\"'`") + 1);
        const std::string_view ahead = trimmed(before.substr(0, before.size() - path.size()));
        const std::string_view behind = small.substr(at, kLongestPath);
        const auto has = [&](std::string_view words) { return before.find(words) != before.npos; };
        const bool is_main =
            behind.substr(0, behind.find('\n')).find("in <module>") != std::string_view::npos;
        const bool is_command =
            has("python") && !has("file \"") && !has("-packages/") && !has("lib/python");
        const bool is_said = ahead.ends_with("run") || ahead.ends_with("running")
            || ahead.ends_with(" ran") || ahead.ends_with("execute"); // "I run demo.py"
        const bool is_launched = is_said || has("torchrun") || has(" launch ");
        if (is_main || is_command || is_launched) {
            const RunActivity activity = activityOfScript(name);
            last = activity == RunActivity::unknown ? last : activity;
        }
    }
    return last;
}

/// What a post's words are of; denials, "not train", speak for inference.
RunActivity activityOfWords(std::string_view small)
{
    const std::size_t denied = countWords(small, "no-training");
    const std::size_t trains = countWords(small, "training");
    if (trains > denied) {
        return RunActivity::training;
    }
    return denied > 0 || namesAnyOf(small, "inference") ? RunActivity::inference
                                                        : RunActivity::unknown;
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
    const RunActivity of_script = activityOfScripts(small);
    if (of_script != RunActivity::unknown) {
        return of_script;
    }
    // The title says what it is about, where it says that.
    const RunActivity of_title =
        activityOfWords(std::string_view(small).substr(0, small.find('\n')));
    return of_title == RunActivity::unknown ? activityOfWords(small) : of_title;
}

} // namespace tidemark::diagnose
