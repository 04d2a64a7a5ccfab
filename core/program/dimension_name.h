// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tidemark::program {

enum class DimensionName : std::uint8_t {
    batch,
    sequence,
    tokens,
    hidden,
    feed_forward,
    heads,
    kv_heads,
    layers,
    vocabulary,
    kv_width,
    head_width,
    rank,
    element_bytes, ///< Of a weight.
};
inline constexpr std::size_t kDimensionCount = 13;

/// As in the command line's JSON: "feed_forward".
std::string_view idOf(DimensionName name);
/// For people: "feed-forward".
std::string_view nameOf(DimensionName name);
/// nullopt: no dimension has this id.
std::optional<DimensionName> dimensionFromId(std::string_view id);

/// A dimension as a person knows it.
struct SaidDimension {
    DimensionName name = DimensionName::batch;
    std::int64_t value = 0;
    friend constexpr bool operator==(const SaidDimension&, const SaidDimension&) = default;
};
/// More than a dimension of any model or batch; of bytes that of the widest element.
constexpr std::int64_t mostOf(DimensionName name)
{
    return name == DimensionName::element_bytes ? 16 : std::int64_t{1} << 40;
}

} // namespace tidemark::program
