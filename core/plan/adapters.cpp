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
