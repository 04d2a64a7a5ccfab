// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/shapes/config_reader.h"

#include "core/base/language.h"

#include <algorithm>
#include <array>

namespace tidemark::shapes {

bool ConfigReader::has(std::string_view name) const
{
    const auto found = m_json.find(std::string(name));
    return found != m_json.end() && !found->is_null();
}

bool ConfigReader::knows(std::string_view name) const
{
    return m_json.contains(std::string(name));
}

std::string_view ConfigReader::firstOf(std::initializer_list<std::string_view> names) const
{
    for (const std::string_view name : names) {
        if (has(name)) {
            return name;
        }
    }
    return *(names.end() - 1);
}

std::int64_t ConfigReader::size(std::string_view name, std::optional<std::int64_t> otherwise)
{
    if (!has(name)) {
        if (!otherwise) {
            complain(say("The model's configuration has no '{}'.", name));
        }
        return otherwise.value_or(1);
    }
    const nlohmann::json& value = m_json[std::string(name)];
    if (!value.is_number_integer() || value.get<double>() < 1
        || value.get<double>() > static_cast<double>(kLargestSize)) {
        complain(say("'{}' in the model's configuration must be an integer from 1 to {}.", name,
                     kLargestSize));
        return 1;
    }
    return value.get<std::int64_t>();
}

bool ConfigReader::flag(std::string_view name, bool otherwise)
{
    if (!has(name)) {
        return otherwise;
    }
    const nlohmann::json& value = m_json[std::string(name)];
    if (!value.is_boolean()) {
        complain(say("'{}' in the model's configuration must be true or false.", name));
        return otherwise;
    }
    return value.get<bool>();
}

double ConfigReader::number(std::string_view name, double otherwise)
{
    if (!has(name)) {
        return otherwise;
    }
    const nlohmann::json& value = m_json[std::string(name)];
    if (!value.is_number()) {
        complain(say("'{}' in the model's configuration must be a number.", name));
        return otherwise;
    }
    return value.get<double>();
}

std::string ConfigReader::text(std::string_view name, std::string_view otherwise)
{
    if (!has(name)) {
        return std::string(otherwise);
    }
    const nlohmann::json& value = m_json[std::string(name)];
    if (!value.is_string()) {
        complain(say("'{}' in the model's configuration must be a string.", name));
        return std::string(otherwise);
    }
    return value.get<std::string>();
}

double ConfigReader::rotaryShare(double otherwise)
{
    double share = number("partial_rotary_factor", otherwise);
    if (has("rope_parameters") && m_json["rope_parameters"].is_object()) {
        const nlohmann::json& rope = m_json["rope_parameters"];
        const auto found = rope.find("partial_rotary_factor");
        share = found != rope.end() && found->is_number() ? found->get<double>() : share;
    }
    if (!(share > 0 && share <= 1)) {
        complain(say("'partial_rotary_factor' in the model's configuration must be above 0 and at "
                     "most 1."));
        return 1;
    }
    return share;
}

std::vector<std::int64_t> ConfigReader::list(std::string_view name)
{
    std::vector<std::int64_t> found;
    if (has(name) && m_json[std::string(name)].is_array()) {
        for (const nlohmann::json& value : m_json[std::string(name)]) {
            if (value.is_number_integer()) {
                found.push_back(value.get<std::int64_t>());
            }
        }
    }
    return found;
}

std::int64_t ConfigReader::entries(std::string_view name, std::int64_t otherwise)
{
    return has(name) && m_json[std::string(name)].is_object()
        ? std::max<std::int64_t>(1, std::ssize(m_json[std::string(name)]))
        : otherwise;
}

std::vector<std::string> ConfigReader::texts(std::string_view name)
{
    std::vector<std::string> found;
    if (has(name) && m_json[std::string(name)].is_array()) {
        for (const nlohmann::json& value : m_json[std::string(name)]) {
            found.push_back(value.is_string() ? value.get<std::string>() : "");
        }
    }
    return found;
}

void ConfigReader::complain(std::string sentence)
{
    if (m_complaint.empty()) {
        m_complaint = std::move(sentence);
    }
}

walk::Activation ConfigReader::activation(const std::string& name)
{
    static constexpr std::array<std::string_view, 4> kFused{"silu", "swish", "gelu",
                                                            "gelu_pytorch_tanh"};
    if (std::ranges::find(kFused, name) != kFused.end()) {
        return walk::Activation::fused;
    }
    if (name == "relu") {
        return walk::Activation::relu;
    }
    if (name != "gelu_new") {
        complain(say(
            "Unknown activation function; use silu, gelu, gelu_pytorch_tanh, gelu_new or relu."));
    }
    return walk::Activation::composed;
}

} // namespace tidemark::shapes
