// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/said.h"

#include "core/base/format.h"
#include "core/base/language.h"

#include <algorithm>
#include <vector>

namespace tidemark::program {

Said::Said(std::span<const SaidDimension> dimensions)
{
    for (const SaidDimension& said : dimensions) {
        m_values[static_cast<std::size_t>(said.name)] = said.value;
    }
}

std::int64_t Said::count() const
{
    return std::ranges::count_if(m_values, [](std::int64_t value) { return value > 0; });
}

std::int64_t Said::tokens() const
{
    return has(DimensionName::tokens) ? of(DimensionName::tokens)
                                      : of(DimensionName::batch) * of(DimensionName::sequence);
}

bool Said::allowsTokens(std::int64_t rows) const
{
    const auto divides = [rows](std::int64_t part) { return part == 0 || rows % part == 0; };
    return (tokens() == 0 || rows == tokens()) && divides(of(DimensionName::batch))
        && divides(of(DimensionName::sequence));
}

bool Said::allowsShape(std::int64_t rows, std::int64_t length) const
{
    using enum DimensionName;
    return allowsTokens(rows) && (!has(sequence) || length == of(sequence))
        && (!has(batch) || length * of(batch) == rows);
}

bool Said::isPossible() const
{
    using enum DimensionName;
    const bool has_all_rows = has(tokens) && has(batch) && has(sequence);
    const bool has_all_keys = has(kv_width) && has(kv_heads) && has(head_width);
    const bool has_both_heads = has(heads) && has(kv_heads);
    return (!has_all_rows || of(tokens) == of(batch) * of(sequence))
        && (!has_all_keys || of(kv_width) == of(kv_heads) * of(head_width))
        && (!has_both_heads || of(heads) % of(kv_heads) == 0) && allowsTokens(this->tokens());
}

std::string Said::text() const
{
    using enum DimensionName;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < kDimensionCount; ++i) {
        const auto name = static_cast<DimensionName>(i);
        if (!has(name)) {
            continue;
        }
        const bool is_count = name == heads || name == kv_heads || name == layers || name == tokens;
        const std::string value = formatCount(of(name));
        parts.push_back(is_count ? value + " " + std::string(nameOf(name))
                                 : std::string(nameOf(name)) + " " + value);
    }
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        text = i == 0               ? parts[i]
            : i + 1 == parts.size() ? say("{} and {}", text, parts[i])
                                    : text + ", " + parts[i];
    }
    return text;
}

} // namespace tidemark::program
