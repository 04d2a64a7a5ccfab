// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/message/model_families.h"

#include <array>

namespace tidemark::diagnose {
namespace {

// Each model's config.json and tokenizer_config.json on the Hugging Face Hub, November 2026.
constexpr std::array<std::int64_t, 2> kLlama2{32000, 32001};
constexpr std::array<std::int64_t, 2> kLlama3{128256, 128257};
constexpr std::array<std::int64_t, 2> kMistral{32000, 32768};
constexpr std::array<std::int64_t, 3> kQwen2{151936, 152064, 151665};
constexpr std::array<std::int64_t, 2> kQwen3{151936, 151669};
constexpr std::array<std::int64_t, 1> kGemma{256000};
constexpr std::array<std::int64_t, 2> kGemma3{262144, 262208};
constexpr std::array<std::int64_t, 1> kPhi3{32064};
constexpr std::array<std::int64_t, 1> kPhi4{100352};
constexpr std::array<std::int64_t, 2> kGpt2{50257, 50304};
constexpr std::array<std::int64_t, 1> kDeepSeek{129280};

constexpr std::array<ModelFamily, 19> kFamilies{{
    {"llama2", "Llama 2", kLlama2},
    {"llama-2", "Llama 2", kLlama2},
    {"llama3", "Llama 3", kLlama3},
    {"llama-3", "Llama 3", kLlama3},
    {"tinyllama", "Llama 2", kLlama2},
    {"mistral", "Mistral", kMistral},
    {"mixtral", "Mixtral", kMistral},
    {"qwen2", "Qwen 2", kQwen2},
    {"qwen3", "Qwen 3", kQwen3},
    {"gemma-2b", "Gemma", kGemma},
    {"gemma-7b", "Gemma", kGemma},
    {"gemma-2-", "Gemma 2", kGemma},
    {"gemma2", "Gemma 2", kGemma},
    {"gemma-3", "Gemma 3", kGemma3},
    {"phi-3", "Phi-3", kPhi3},
    {"phi-4", "Phi-4", kPhi4},
    {"gpt2", "GPT-2", kGpt2},
    {"gpt-2", "GPT-2", kGpt2},
    {"deepseek-v3", "DeepSeek V3", kDeepSeek},
}};

} // namespace

std::span<const ModelFamily> modelFamilies()
{
    return kFamilies;
}

} // namespace tidemark::diagnose
