// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace tidemark::query {

/// How people read a cell of a list; report::cellText writes it.
enum class CellKind : std::uint8_t {
    text,
    count,
    event,
    bytes,
    lifetime, ///< In the unit of the table.
    bytes_lifetime,
    share, ///< 0 to 1.
    percent, ///< 0 to 100.
};

struct Cell {
    /// As programs get it; nothing where nothing is known.
    std::variant<std::monostate, std::int64_t, double, std::string> value{};
    std::string words{}; ///< For people, where they read something else.
};

/// By which it sorts; `none` where it is no number.
inline double numberIn(const Cell& cell, double none = -1)
{
    if (const auto* const number = std::get_if<std::int64_t>(&cell.value)) {
        return static_cast<double>(*number);
    }
    const auto* const fraction = std::get_if<double>(&cell.value);
    return fraction != nullptr ? *fraction : none;
}

/// What a column is called in JSON and CSV.
struct MachineName {
    std::string_view name{};
    std::string_view without_times{}; ///< Empty: the same.

    [[nodiscard]] std::string_view of(bool has_times) const
    {
        return has_times || without_times.empty() ? name : without_times;
    }
};

} // namespace tidemark::query
