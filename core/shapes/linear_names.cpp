// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/shapes/linear_names.h"

#include "core/base/language.h"
#include "core/shapes/families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tidemark::shapes {

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
    const std::vector<std::string> names = linearNames(model);
    const bool is_joint = model.joint != walk::Joint::none
        || model.architecture == walk::Architecture::gpt2
        || model.architecture == walk::Architecture::bloom
        || model.architecture == walk::Architecture::modernbert;
    if (is_joint) {
        return {names.front()};
    }
    std::vector<std::string> targets{names[0], names[2]}; // Keys stand between them.
    if (model.model_type == "phi") {
        targets.insert(targets.end(), {names[4], names[5]});
    }
    return targets;
}

std::vector<std::string> targetsOf(const walk::ModelShape& model,
                                   const std::vector<std::string>& written)
{
    const bool is_all = written.size() == 1 && (written[0] == "all-linear" || written[0] == "all");
    return is_all ? linearNames(model) : written;
}

std::vector<std::string> linearNames(std::string_view model_type)
{
    const auto family = std::ranges::find(families(), model_type, &Family::model_type);
    if (family == families().end()) {
        return {};
    }
    walk::ModelShape model;
    model.model_type = model_type;
    model.architecture = family->architecture;
    takeTraits(family->decoder, model);
    if (!family->expert_count.empty() && model_type != "mixtral") {
        model.experts.emplace().every = 2; // Other layers than each may have none.
    }
    std::vector<std::string> names = linearNames(model);
    if (family->architecture == walk::Architecture::t5) {
        names.emplace_back("wi"); // Of those without gates.
    }
    return names;
}

std::string objectionTo(const std::vector<std::string>& targets,
                        const std::vector<std::string>& linear_names)
{
    for (const std::string& target : targets) {
        if (std::ranges::find(linear_names, target) == linear_names.end()) {
            return say("The model has no linear layer “{}”; it has {}.", target,
                       fmt::join(linear_names, ", "));
        }
    }
    return {};
}

} // namespace tidemark::shapes
