// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/dimension_name.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace tidemark::program {

/// What a person said of the dimensions, as the search asks for it: it leaves out every hypothesis
/// that does not agree.
class Said {
public:
    Said() = default;
    /// Of one dimension the last holds.
    explicit Said(std::span<const SaidDimension> dimensions);

    /// 0: not said.
    [[nodiscard]] std::int64_t of(DimensionName name) const
    {
        return m_values[static_cast<std::size_t>(name)];
    }
    [[nodiscard]] bool has(DimensionName name) const
    {
        return of(name) > 0;
    }
    /// Of how many dimensions something was said.
    [[nodiscard]] std::int64_t count() const;
    [[nodiscard]] bool isEmpty() const
    {
        return count() == 0;
    }
    /// The only number of rows that agrees: tokens, or batch · sequence; 0: several may.
    [[nodiscard]] std::int64_t tokens() const;
    /// Whether samples and sequences of the said lengths can make up so many rows.
    [[nodiscard]] bool allowsTokens(std::int64_t tokens) const;
    [[nodiscard]] bool allowsShape(std::int64_t tokens, std::int64_t sequence) const;
    /// Whether what was said is possible by itself: tokens = batch · sequence, key-value width =
    /// key-value heads · head width, and key-value heads that divide the heads.
    [[nodiscard]] bool isPossible() const;
    /// "batch 7", "batch 7 and 12 heads": in the words of `nameOf`, for sentences.
    [[nodiscard]] std::string text() const;

private:
    std::array<std::int64_t, kDimensionCount> m_values{};
};

} // namespace tidemark::program
