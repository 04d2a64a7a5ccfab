// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/adapters.h"

#include "core/base/ascii.h"
#include "core/config/setting_handlers.h"
#include "core/config/settings.h"
#include "core/walk/training.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace tidemark::plan {
namespace {

// peft/tuners/lora/config.py of PEFT 0.21 (r, target_modules); trl/trainer/model_config.py of TRL
// 1.16 (lora_r, lora_target_modules); src/llamafactory/hparams/finetuning_args.py (lora_rank,
// lora_target); hf_model.yaml of veRL 0.9.1 (lora_rank, target_modules).
constexpr std::array<std::string_view, 3> kRanks{"lora_r", "lora_rank", "r"};
constexpr std::array<std::string_view, 3> kTargetKeys{"target_modules", "lora_target_modules",
                                                      "lora_target"};

std::string lastNameOf(const std::string& path)
{
    const std::size_t dot = path.rfind('.');
    return lowered(dot == std::string::npos ? path : path.substr(dot + 1));
}

bool isOneOf(std::span<const std::string_view> names, const std::string& name)
{
    return std::ranges::find(names, name) != names.end();
}

} // namespace

std::vector<std::string> linearNames(const walk::ModelShape& model)
{
    switch (model.architecture) {
    case walk::Architecture::gpt2:
        return {"c_attn", "c_proj", "c_fc"};
    case walk::Architecture::bloom:
        return {"query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"};
    case walk::Architecture::bert:
        if (model.model_type == "distilbert") {
            return {"q_lin", "k_lin", "v_lin", "out_lin", "lin1", "lin2"};
        }
        return {"query", "key", "value", "dense"};
    case walk::Architecture::modernbert:
        return {"Wqkv", "Wo", "Wi", "dense"};
    case walk::Architecture::opt:
    case walk::Architecture::bart:
        return {"q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"};
    case walk::Architecture::vit:
        return {"q_proj", "k_proj", "v_proj", "o_proj", "fc1", "fc2"};
    case walk::Architecture::t5:
        return model.is_gated ? std::vector<std::string>{"q", "k", "v", "o", "wi_0", "wi_1", "wo"}
                              : std::vector<std::string>{"q", "k", "v", "o", "wi", "wo"};
    case walk::Architecture::decoder:
        break;
    }
    const walk::LinearNames& own = model.names;
    std::vector<std::string> names{std::string(own.joint)};
    if (model.joint == walk::Joint::none) {
        names = {"q_proj", "k_proj", "v_proj"};
    }
    names.emplace_back(own.out);
    if (model.joint == walk::Joint::parts) {
        names.insert(names.end(), {"gate_up_proj", "down_proj"});
        return names;
    }
    // Experts are no linear layers of their own, which adapters could go to.
    if (!model.experts || !model.experts->dense_layers.empty() || model.experts->every > 1
        || model.experts->shared_width > 0) {
        if (model.is_gated) {
            names.emplace_back("gate_proj");
        }
        names.insert(names.end(), {std::string(own.up), std::string(own.down)});
    }
    return names;
}

std::vector<std::string> usualTargets(const walk::ModelShape& model)
{
    std::vector<std::string> names = linearNames(model);
    std::erase_if(names, [](const std::string& name) {
        constexpr std::array<std::string_view, 12> kBehind{
            "Wo",  "o_proj", "down_proj", "c_proj",        "dense",   "out_proj",
            "fc2", "o",      "wo",        "dense_4h_to_h", "out_lin", "lin2"};
        return std::ranges::find(kBehind, name) != kBehind.end();
    });
    return names;
}

AdaptersSaid readAdapters(std::span<const std::string> texts)
{
    AdaptersSaid said;
    for (const std::string& text : texts) {
        const auto settings = config::readSettings(text);
        if (!settings.has_value()) {
            continue;
        }
        for (const config::Setting& setting : settings.value().all) {
            const std::string name = lastNameOf(setting.path);
            if (isOneOf(kRanks, name)) {
                if (const auto rank = config::wholeNumber(setting.value)) {
                    said.rank = *rank;
                }
            } else if (isOneOf(kTargetKeys, name)) {
                said.targets.clear();
                std::stringstream names(setting.value);
                for (std::string target; std::getline(names, target, ',');) {
                    said.targets.push_back(target);
                }
            }
        }
    }
    return said;
}

std::vector<std::string> targetsOf(const walk::ModelShape& model,
                                   const std::vector<std::string>& written)
{
    const bool is_all = written.size() == 1 && (written[0] == "all-linear" || written[0] == "all");
    return is_all ? linearNames(model) : written;
}

std::int64_t adapterParametersPerRank(const walk::ModelShape& model,
                                      const std::vector<std::string>& targets)
{
    walk::RunShape run;
    run.sequence = model.images ? model.images->tokens() : 1;
    run.lora = walk::Lora{1, targets};
    run.attention = model.needsScores() ? walk::Attention::eager : walk::Attention::sdpa;
    return walk::planRun(model, run).trained;
}

} // namespace tidemark::plan
