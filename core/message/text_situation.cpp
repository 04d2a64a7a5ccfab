// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/text_situation.h"

#include "core/base/ascii.h"
#include "core/message/traps.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string>

namespace tidemark::diagnose {
namespace {

/// In lower case; a word that begins or ends with a letter is a whole one.
std::size_t countWord(std::string_view small, std::string_view word)
{
    std::size_t count = 0;
    for (std::size_t at = small.find(word); at != std::string_view::npos;
         at = small.find(word, at + word.size())) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !isLetter(word.front()) || !isLetter(small[at - 1]);
        const bool ends = end >= small.size() || !isLetter(word.back()) || !isLetter(small[end]);
        count += begins && ends ? 1 : 0;
    }
    return count;
}

bool namesAny(std::string_view small, std::span<const std::string_view> words)
{
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return countWord(small, word) > 0; });
}

bool namesAny(std::string_view small, std::initializer_list<std::string_view> words)
{
    return namesAny(small, std::span(words.begin(), words.size()));
}

std::size_t countAny(std::string_view small, std::span<const std::string_view> words)
{
    std::size_t count = 0;
    for (const std::string_view word : words) {
        count += countWord(small, word);
    }
    return count;
}

/// "no OOM", "without any OOM", "doesn't OOM", "to avoid OOM".
bool isDeniedBefore(std::string_view before)
{
    before = before.substr(before.size() - std::min<std::size_t>(before.size(), 24));
    return namesAny(before, {"no", "not", "without", "never", "avoid", "avoids", "prevent", "t"});
}

bool hasUndenied(std::string_view small, std::string_view word)
{
    for (std::size_t at = small.find(word); at != std::string_view::npos;
         at = small.find(word, at + word.size())) {
        const std::size_t end = at + word.size();
        const bool is_whole = (at == 0 || (!isLetter(small[at - 1]) && small[at - 1] != '_'))
            && (end >= small.size()
                || (!isLetter(small[end]) && small[end] != '_' && small[end] != '-'
                    && small[end] != ':'));
        if (is_whole && !isDeniedBefore(small.substr(0, at))) {
            return true;
        }
    }
    return false;
}

/// Words of the host's memory, none or fewer of the GPU's, and the first line is not of the GPU.
bool meansHost(std::string_view small)
{
    static constexpr auto kOfGpu =
        std::to_array<std::string_view>({"gpu", "gpus", "cuda", "vram", "显存", "顯存",
                                         "video memory", "nvidia-smi", "mps", "rocm"});
    static constexpr auto kOfHost =
        std::to_array<std::string_view>({"内存", "記憶體", "ram", "cpu memory", "host memory",
                                         "system memory", "swap", "page file", "paging file"});
    const std::size_t host = countAny(small, kOfHost);
    const std::size_t gpu = countAny(small, kOfGpu);
    const std::string_view title = small.substr(0, small.find('\n'));
    return host > 0
        && (gpu == 0 || (host > 2 * gpu && namesAny(title, kOfHost) && !namesAny(title, kOfGpu)));
}

/// Memory that stays in use: "is not released", "keeps growing".
bool keepsMemory(std::string_view small)
{
    return namesAny(small,
                    {"memory", "vram", "显存", "内存", "메모리", "メモリ", "память", "памяти"})
        && namesAny(small, {"memory leak",     "memory leaks", "leaks memory",   "leaking memory",
                            "not be released", "not released", "never released", "not freed",
                            "never freed",     "not be freed", "keeps growing",  "keeps increasing",
                            "keep increasing", "keeps rising", "显存泄",         "内存泄",
                            "不释放",          "没有释放",     "未释放",         "누수",
                            "リーク",          "解放されない", "утечка памяти"});
}

/// A bar of shards or layers below its end, and nothing of an error in the whole text.
bool stopsLoading(std::string_view small)
{
    const std::size_t at = small.rfind("loading");
    if (at == std::string_view::npos || small.find("traceback") != std::string_view::npos
        || namesAny(small, {"error", "errors", "exception"})) {
        return false;
    }
    const std::string_view line = small.substr(at, small.find('\n', at) - at);
    const bool is_bar =
        line.find("%|") != std::string_view::npos && line.find("100%|") == std::string_view::npos;
    return is_bar
        && namesAny(small,
                    {"stops",         "stopped", "crash",      "crashes", "crashed",  "exits",
                     "exited",        "closes",  "closed",     "quits",   "dies",     "died",
                     "press any key", "killed",  "terminated", "任意键",  "何かキー", "아무 키",
                     "闪退",          "終了",    "taste"});
}

RunKind kindOf(std::string_view small, RunActivity activity)
{
    const bool names_engine =
        namesAny(small,
                 {"vllm", "sglang", "lmdeploy", "tensorrt-llm", "llama.cpp", "ollama",
                  "text-generation-inference", "tgi", "xinference", "exllama"});
    if (activity == RunActivity::training) {
        const bool rolls_out = namesAny(small, {"vllm", "sglang"})
            && namesAny(small,
                        {"grpo", "ppo", "rlhf", "rloo", "trl", "verl", "rollout", "openrlhf",
                         "grpoconfig", "grpotrainer", "dapo"});
        return rolls_out ? RunKind::rollout : RunKind::training;
    }
    if (activity == RunActivity::evaluation) {
        return RunKind::evaluation;
    }
    if (names_engine) {
        return RunKind::engine;
    }
    if (namesAny(small,
                 {"comfyui", "webui", "diffusion", "stable-diffusion", "diffusers", "sdxl", "flux",
                  "txt2img", "img2img", "text-to-image", "text-to-video", "image-to-video",
                  "invokeai", "forge", "lora_weights", "generate image", "generate images"})) {
        return RunKind::diffusion;
    }
    if (namesAny(small,
                 {"load the model", "loading the model", "load model", "model loading",
                  "loading model", "be loaded", "loading checkpoint", "load checkpoint",
                  "from_pretrained", "load_model", "torch.load", "loading weights", "load weights",
                  "加载", "載入", "读取模型", "불러오", "로드", "読み込"})) {
        return RunKind::loading;
    }
    if (activity == RunActivity::inference) {
        return RunKind::inference;
    }
    return namesAny(small,
                    {"evaluation", "evaluating", "evaluate", "validation", "testing", "test.py",
                     "eval.py", "验证", "评估", "测试"})
        ? RunKind::evaluation
        : RunKind::unknown;
}

} // namespace

TextSituation situationOf(std::string_view text, std::size_t error_at)
{
    const std::string small = lowered(text.substr(0, kPostedText));
    TextSituation situation;
    situation.activity = runActivity(text, error_at);
    situation.kind = kindOf(small, situation.activity);
    situation.is_host = meansHost(small);
    situation.ends_loading = stopsLoading(small);
    situation.keeps = keepsMemory(small);
    situation.names_trainer =
        namesAny(small, {"trainer", "trainingarguments", "transformers", "seq2seqtrainer"});
    situation.keeps_no_graph = namesAny(small, {"no_grad", "inference_mode", "set_grad_enabled"});
    return situation;
}

bool saysMemoryRanOut(std::string_view text)
{
    const std::string small = lowered(text.substr(0, kPostedText));
    static constexpr auto kSaid = std::to_array<std::string_view>({"oom",
                                                                   "ooms",
                                                                   "ooming",
                                                                   "oomed",
                                                                   "oom'd",
                                                                   "out of ram",
                                                                   "out of vram",
                                                                   "out of gpu memory",
                                                                   "out of cpu memory",
                                                                   "out of host memory",
                                                                   "out of cuda memory",
                                                                   "not enough memory",
                                                                   "not enough vram",
                                                                   "not enough gpu memory",
                                                                   "not enough ram",
                                                                   "insufficient memory",
                                                                   "insufficient gpu memory",
                                                                   "insufficient vram",
                                                                   "memory leak",
                                                                   "memory leaks",
                                                                   "memory keeps growing",
                                                                   "memory keeps increasing",
                                                                   "memory insufficient",
                                                                   "memory overflow",
                                                                   "显存不足",
                                                                   "显存不够",
                                                                   "显存溢出",
                                                                   "爆显存",
                                                                   "显存爆",
                                                                   "爆了显存",
                                                                   "显存又不够",
                                                                   "超显存",
                                                                   "超出显存",
                                                                   "显存泄",
                                                                   "显存占用",
                                                                   "显存oom",
                                                                   "显存 oom",
                                                                   "內存不足",
                                                                   "内存不足",
                                                                   "内存不够",
                                                                   "内存也不够",
                                                                   "内存溢出",
                                                                   "内存超",
                                                                   "内存泄",
                                                                   "内存占用",
                                                                   "内存爆",
                                                                   "爆内存",
                                                                   "記憶體不足",
                                                                   "顯存不足",
                                                                   "메모리 부족",
                                                                   "메모리가 부족",
                                                                   "메모리 초과",
                                                                   "메모리 누수",
                                                                   "메모리가 모자",
                                                                   "メモリ不足",
                                                                   "メモリが不足",
                                                                   "メモリが足り",
                                                                   "メモリ足り",
                                                                   "メモリリーク",
                                                                   "メモリーが足り",
                                                                   "недостаточно памяти",
                                                                   "не хватает памяти",
                                                                   "нехватк",
                                                                   "утечка памяти",
                                                                   "speicher reicht nicht",
                                                                   "speicher voll",
                                                                   "nicht genug speicher",
                                                                   "nicht genügend speicher",
                                                                   "memoria insuficiente",
                                                                   "sin memoria",
                                                                   "mémoire insuffisante",
                                                                   "mémoire saturée",
                                                                   "memória insuficiente"});
    return keepsMemory(small) || std::ranges::any_of(kSaid, [&](std::string_view word) {
               return hasUndenied(small, word);
           });
}

} // namespace tidemark::diagnose
