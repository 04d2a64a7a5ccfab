// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace tidemark {

/// A value as JSON has it, bytes and microseconds as numbers; null without one.
template <class T>
nlohmann::ordered_json orNull(const std::optional<T>& value)
{
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}
inline nlohmann::ordered_json orNull(const std::optional<Bytes>& bytes)
{
    return bytes ? nlohmann::ordered_json(bytes->value) : nlohmann::ordered_json(nullptr);
}
inline nlohmann::ordered_json orNull(const std::optional<TimePoint>& time)
{
    return time ? nlohmann::ordered_json(microseconds(*time)) : nlohmann::ordered_json(nullptr);
}

} // namespace tidemark
