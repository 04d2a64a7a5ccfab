// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/modules/module_names.h"

#include "resources/rules/module_names.json.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tidemark::label {
namespace {

/// Whether a path ends in a file's path, whole folders compared: "my_torch/x.py" is not
/// "torch/x.py".
bool endsInFile(std::string_view path, std::string_view file)
{
    if (path.size() < file.size()) {
        return false;
    }
    const std::size_t start = path.size() - file.size();
    for (std::size_t i = 0; i < file.size(); ++i) {
        const char c = path[start + i] == '\\' ? '/' : path[start + i];
        if (c != file[i]) {
            return false;
        }
    }
    return start == 0 || path[start - 1] == '/' || path[start - 1] == '\\';
}

} // namespace

const ModuleNames& ModuleNames::builtin()
{
    static const ModuleNames names(resources::moduleNamesJson());
    return names;
}

ModuleNames::ModuleNames(std::string_view json)
{
    const nlohmann::json document = nlohmann::json::parse(json);
    for (const nlohmann::json& item : document.at("modules")) {
        Entry entry;
        entry.file = item.at("file").get<std::string>();
        entry.name = item.at("name").get<std::string>();
        entry.built_by = item.value("built_by", entry.name);
        const auto functions = item.find("functions");
        if (functions != item.end()) {
            for (auto it = functions->begin(); it != functions->end(); ++it) {
                entry.functions.emplace_back(it.key(), it.value().get<std::string>());
            }
        }
        m_entries.push_back(std::move(entry));
    }
}

const std::string& ModuleNames::Entry::nameFor(std::string_view function) const
{
    const auto it = std::ranges::find(functions, function, [](const auto& f) { return f.first; });
    return it == functions.end() ? name : it->second;
}

const ModuleNames::Entry* ModuleNames::find(std::string_view filename) const
{
    const auto it = std::ranges::find_if(
        m_entries, [&](const Entry& e) { return endsInFile(filename, e.file); });
    return it == m_entries.end() ? nullptr : &*it;
}

} // namespace tidemark::label
