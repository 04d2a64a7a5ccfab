// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/stack_rules.h"

#include "resources/rules/stack_rules.json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace tidemark::label {
namespace {

constexpr std::array<std::string_view, 27> kTraitNames{"optimizer",
                                                       "optimizer_transient",
                                                       "foreach",
                                                       "fused_optimizer",
                                                       "backward",
                                                       "recompute",
                                                       "checkpoint",
                                                       "forward",
                                                       "no_grad",
                                                       "load",
                                                       "load_optimizer",
                                                       "data",
                                                       "softmax",
                                                       "loss",
                                                       "weight_cast",
                                                       "kv_cache",
                                                       "workspace",
                                                       "reducer",
                                                       "unshard",
                                                       "communication",
                                                       "zero_grad",
                                                       "calls_back",
                                                       "mark",
                                                       "momentum",
                                                       "functional_grad",
                                                       "generates",
                                                       "reduce_gradients"};

Trait traitFromName(const std::string& name)
{
    const auto it = std::ranges::find(kTraitNames, name);
    if (it == kTraitNames.end()) {
        throw std::logic_error("stack_rules.json names an unknown trait: " + name);
    }
    return static_cast<Trait>(it - kTraitNames.begin());
}

bool hasAny(std::string_view text, const std::vector<std::string>& parts)
{
    return std::ranges::any_of(
        parts, [&](const std::string& p) { return text.find(p) != std::string_view::npos; });
}

} // namespace

std::string withForwardSlashes(std::string_view path)
{
    std::string text(path);
    std::ranges::replace(text, '\\', '/');
    return text;
}

StackRules::StackRules(std::string_view json)
{
    const auto doc = nlohmann::json::parse(json);
    for (const auto& r : doc.at("rules")) {
        m_rules.push_back({traitFromName(r.at("trait").get<std::string>()), r.value("name", ""),
                           r.value("name_has", ""), r.value("file_has", ""),
                           r.value("origin", "") == "user"});
    }
    if (m_rules.size() > RuleSet().size()) {
        throw std::logic_error("stack_rules.json has more rules than a rule set holds");
    }
    const auto& noise = doc.at("noise");
    m_noise_name_has = noise.at("name_has").get<std::vector<std::string>>();
    m_noise_name = noise.at("name").get<std::vector<std::string>>();
    m_noise_file_has = noise.at("file_has").get<std::vector<std::string>>();
    m_makes_tensors = noise.at("makes_tensors").get<std::vector<std::string>>();
    m_library_file_has = doc.at("library").at("file_has").get<std::vector<std::string>>();
    for (const auto& w : doc.at("library").at("windows")) {
        m_library_file_has.push_back(w.get<std::string>());
    }
    const auto& blocks = doc.at("blocks");
    m_block_file_has = blocks.at("file_has").get<std::vector<std::string>>();
    m_cloned_block_file_has = blocks.at("cloned").get<std::vector<std::string>>();
    m_runner_file_has = doc.at("runners").at("file_has").get<std::vector<std::string>>();
}

const StackRules& StackRules::builtin()
{
    static const StackRules rules(resources::stackRulesJson());
    return rules;
}

StackRules::FileFacts StackRules::factsOf(std::string_view filename) const
{
    const std::string file = withForwardSlashes(filename);
    FileFacts facts;
    facts.is_python = isPythonFile(filename);
    facts.is_library = facts.is_python && hasAny(file, m_library_file_has);
    facts.is_noise = !facts.is_python && hasAny(filename, m_noise_file_has);
    const bool is_user = facts.is_python && !facts.is_library;
    for (std::size_t i = 0; i < m_rules.size(); ++i) {
        const Rule& r = m_rules[i];
        facts.rules[i] = (is_user || !r.user_only)
            && (r.file_has.empty() || file.find(r.file_has) != std::string::npos);
    }
    return facts;
}

StackRules::RuleSet StackRules::rulesOf(std::string_view name) const
{
    RuleSet rules;
    for (std::size_t i = 0; i < m_rules.size(); ++i) {
        const Rule& r = m_rules[i];
        rules[i] = (r.name.empty() || matchesPattern(r.name, name))
            && (r.name_has.empty() || name.find(r.name_has) != std::string_view::npos);
    }
    return rules;
}

Traits StackRules::traitsOf(const RuleSet& rules) const
{
    Traits traits;
    for (std::size_t i = 0; i < m_rules.size() && rules.any(); ++i) {
        if (rules[i]) {
            traits.add(m_rules[i].trait);
        }
    }
    return traits;
}

bool StackRules::isNoiseName(std::string_view name) const
{
    return hasAny(name, m_noise_name_has)
        || std::ranges::find(m_noise_name, name) != m_noise_name.end();
}

bool StackRules::makesTensors(std::string_view name) const
{
    return hasAny(name, m_makes_tensors);
}

bool StackRules::isNoise(std::string_view name, std::string_view filename) const
{
    return !isPythonFile(filename) && (isNoiseName(name) || hasAny(filename, m_noise_file_has));
}

bool StackRules::isLibrary(std::string_view filename) const
{
    return hasAny(withForwardSlashes(filename), m_library_file_has);
}

StackRules::Code StackRules::codeOf(std::string_view filename) const
{
    Code code;
    code.is_python = isPythonFile(filename);
    if (!code.is_python) {
        return code;
    }
    const std::string file = withForwardSlashes(filename);
    code.is_library = hasAny(file, m_library_file_has);
    code.is_block = hasAny(file, m_cloned_block_file_has)
        || (code.is_library && hasAny(file, m_block_file_has));
    code.is_runner = code.is_library && hasAny(file, m_runner_file_has);
    code.calls_modules = file.ends_with("torch/nn/modules/module.py");
    code.calls_functions = file.ends_with("torch/autograd/function.py");
    return code;
}

bool isPythonFile(std::string_view filename)
{
    return filename.ends_with(".py") || (filename.starts_with('<') && filename.ends_with('>'));
}

bool matchesPattern(std::string_view pattern, std::string_view name)
{
    if (pattern.ends_with('*')) {
        return name.starts_with(pattern.substr(0, pattern.size() - 1));
    }
    if (pattern.starts_with('*')) {
        return name.ends_with(pattern.substr(1));
    }
    return name == pattern;
}

} // namespace tidemark::label
