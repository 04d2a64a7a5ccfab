// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/model_families.h"

#include "resources/models.json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace tidemark::diagnose {
namespace {

using Json = nlohmann::ordered_json;

/// Of the models whose names, behind their owner's, begin like this.
void addVocabularies(const Json& models, std::string_view beginning, ModelFamily& family)
{
    for (const Json& model : models) {
        const std::string& whole = model.at("name").get_ref<const std::string&>();
        const std::string_view name = std::string_view(whole).substr(whole.rfind('/') + 1);
        const Json& config = model.at("config");
        if (!name.starts_with(beginning) || !config.contains("vocab_size")) {
            continue;
        }
        const std::int64_t size = config.at("vocab_size");
        if (std::ranges::find(family.vocabularies, size) == family.vocabularies.end()) {
            family.vocabularies.push_back(size);
        }
    }
}

std::vector<ModelFamily> parseFamilies()
{
    const Json file = Json::parse(resources::modelsJson());
    std::vector<ModelFamily> families;
    for (const Json& entry : file.at("families")) {
        ModelFamily family{entry.at("word"), entry.at("name"), {}};
        for (const Json& beginning : entry.at("models")) {
            addVocabularies(file.at("models"), beginning.get_ref<const std::string&>(), family);
        }
        for (const Json& size : entry.at("vocabularies")) {
            family.vocabularies.push_back(size);
        }
        families.push_back(std::move(family));
    }
    return families;
}

} // namespace

std::span<const ModelFamily> modelFamilies()
{
    static const std::vector<ModelFamily> kFamilies = parseFamilies();
    return kFamilies;
}

} // namespace tidemark::diagnose
