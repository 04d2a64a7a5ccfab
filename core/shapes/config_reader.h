// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/model_shape.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::shapes {

/// Sizes beyond this are no model's, and their products stay far from overflow.
inline constexpr std::int64_t kLargestSize = 16'000'000;

/// Reads a config.json by name and remembers the first value that is wrong. Outlived by the file.
class ConfigReader {
public:
    explicit ConfigReader(const nlohmann::json& json)
        : m_json(json)
    {
    }

    [[nodiscard]] bool has(std::string_view name) const;
    /// Whether it is said at all, if only that there is none (null).
    [[nodiscard]] bool knows(std::string_view name) const;
    /// The first of some names that the file has; else the last.
    [[nodiscard]] std::string_view firstOf(std::initializer_list<std::string_view> names) const;
    /// A whole number from 1 on.
    std::int64_t size(std::string_view name, std::optional<std::int64_t> otherwise = {});
    bool flag(std::string_view name, bool otherwise);
    double number(std::string_view name, double otherwise);
    std::string text(std::string_view name, std::string_view otherwise);
    /// partial_rotary_factor, which newer files have among the rope_parameters.
    double rotaryShare(double otherwise);
    std::vector<std::int64_t> list(std::string_view name);
    std::vector<std::string> texts(std::string_view name);
    /// How many an object has.
    std::int64_t entries(std::string_view name, std::int64_t otherwise);
    /// An activation function: kernels, and what transformers writes out in Python.
    walk::Activation activation(const std::string& name);
    void complain(std::string sentence);
    /// Empty: nothing was wrong.
    [[nodiscard]] const std::string& complaint() const
    {
        return m_complaint;
    }

private:
    const nlohmann::json& m_json;
    std::string m_complaint;
};

/// The families that are no decoders of the llama kind. Requires the architecture.
void readClassicShape(ConfigReader& reader, walk::ModelShape& shape);

} // namespace tidemark::shapes
