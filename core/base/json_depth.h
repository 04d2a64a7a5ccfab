// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <exception>

namespace tidemark {

/// Deepest nesting in JSON that people write by hand: rules files and configurations. nlohmann's
/// parser needs no call stack, but its values are copied and walked by recursion, which 150,000
/// brackets end with a crash.
inline constexpr int kMostJsonDepth = 100;

/// Thrown by `limitJsonDepth`.
struct JsonTooDeep final : std::exception {
    [[nodiscard]] const char* what() const noexcept override
    {
        return "JSON is nested too deep";
    }
};

/// The callback for `Json::parse` of every text that comes from outside; the reader of snapshots
/// has a limit of its own.
inline constexpr auto limitJsonDepth = [](int depth, auto /*event*/, const auto& /*value*/) {
    if (depth > kMostJsonDepth) {
        throw JsonTooDeep();
    }
    return true;
};

} // namespace tidemark
