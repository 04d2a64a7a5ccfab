// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/log_vocabulary.h"

#include "core/message/log_words.h"
#include "core/message/message_reader.h"
#include "core/message/model_families.h"
#include "core/message/translated.h"
#include "core/message/traps.h"

#include <array>

namespace tidemark::diagnose {
namespace {

constexpr std::array<StageWording, 8> kStages{{
    {"runningtraining", LogStage::training},
    {"runningevaluation", LogStage::evaluation},
    {"runningprediction", LogStage::evaluation},
    {"validationdataloader", LogStage::evaluation},
    {"testingdataloader", LogStage::evaluation},
    {"'eval_loss'", LogStage::training},
    {"'loss':", LogStage::training},
    {"epoch", LogStage::training},
}};

constexpr std::array<FrameworkWording, 23> kFrameworks{{
    {"transformers/trainer.py", "HF Trainer"},
    {"trainingarguments(", "HF Trainer"},
    {"per_device_train_batch_size", "HF Trainer"},
    {"trl/trainer", "TRL"},
    {"sfttrainer(", "TRL"},
    {"pytorch_lightning", "Lightning"},
    {"lightning/pytorch", "Lightning"},
    {"deepspeed", "DeepSpeed"},
    {"zero_optimization", "DeepSpeed"},
    {"torch/distributed/fsdp", "FSDP"},
    {"fully_shard", "FSDP"},
    {"accelerate/accelerator.py", "Accelerate"},
    {"megatron/", "Megatron"},
    {"torchtune", "torchtune"},
    {"verl.", "veRL"},
    {"actor_rollout_ref", "veRL"},
    {"grpoconfig(", "TRL"},
    {"sglang", "SGLang"},
    {"text-generation-inference", "TGI"},
    {"llama.cpp", "llama.cpp"},
    {"ollama", "llama.cpp"},
    {"comfyui", "ComfyUI"},
    {"webui", "WebUI"},
}};

} // namespace

std::span<const StageWording> stageWordings()
{
    return kStages;
}

std::span<const FrameworkWording> frameworkWordings()
{
    return kFrameworks;
}

LogVocabulary::LogVocabulary()
    : finder((fill(), words))
{
}

void LogVocabulary::add(std::span<const std::string_view> more, WordGroup group)
{
    for (std::size_t i = 0; i < more.size(); ++i) {
        words.push_back(more[i]);
        groups.push_back(group);
        numbers.push_back(i);
    }
}

void LogVocabulary::fill()
{
    add(messageAnchors(), WordGroup::message);
    add(cardAnchors(), WordGroup::card);
    add(bareAnchors(), WordGroup::bare);
    std::vector<std::string_view> events;
    for (const EventWording& wording : eventWordings()) {
        events.push_back(wording.words);
    }
    add(events, WordGroup::event);
    add(readingAnchors(), WordGroup::reading);
    add(factorAnchors(), WordGroup::factor);
    std::vector<std::string_view> families;
    for (const ModelFamily& family : modelFamilies()) {
        families.push_back(family.word);
    }
    add(families, WordGroup::family);
    std::vector<std::string_view> stages;
    for (const StageWording& wording : kStages) {
        stages.push_back(wording.words);
    }
    add(stages, WordGroup::stage);
    std::vector<std::string_view> frameworks;
    for (const FrameworkWording& wording : kFrameworks) {
        frameworks.push_back(wording.words);
    }
    add(frameworks, WordGroup::framework);
    static constexpr std::string_view kOoms[] = {kOomCount};
    add(kOoms, WordGroup::ooms);
    static constexpr std::string_view kBrackets[] = {kTranslatedAnchor};
    add(kBrackets, WordGroup::translated);
    static constexpr std::string_view kBackward[] = {"backwardpass"};
    add(kBackward, WordGroup::backward);
    static constexpr std::string_view kVllm[] = {"vllm"};
    add(kVllm, WordGroup::vllm);
    static constexpr std::string_view kSettings[] = {"alloc_conf", "allocator_settings("};
    add(kSettings, WordGroup::settings);
    const std::vector<std::string>& phrases = trapCatalogue().squeezed_phrases;
    add(std::vector<std::string_view>(phrases.begin(), phrases.end()), WordGroup::trap_phrase);
    std::vector<std::string_view> files;
    for (const std::string& file : trapCatalogue().files) {
        // Behind a backslash of Windows the first letter reads as a code: "\\trainer.py".
        files.push_back(std::string_view("nrt").find(file.front()) == std::string_view::npos
                            ? std::string_view(file)
                            : std::string_view(file).substr(1));
    }
    add(files, WordGroup::trap_file);
}

const LogVocabulary& logVocabulary()
{
    static const LogVocabulary kVocabulary;
    return kVocabulary;
}

} // namespace tidemark::diagnose
