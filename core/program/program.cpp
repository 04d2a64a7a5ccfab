// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/program.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tidemark::program {
namespace {

struct Names {
    std::string_view id;
    std::string_view name;
};

constexpr std::array kDimensions{
    Names{"batch", "batch"},
    Names{"sequence", "sequence"},
    Names{"tokens", "tokens"},
    Names{"hidden", "hidden"},
    Names{"feed_forward", "feed-forward"},
    Names{"heads", "heads"},
    Names{"kv_heads", "key-value heads"},
    Names{"layers", "layers"},
    Names{"vocabulary", "vocabulary"},
    Names{"kv_width", "key-value width"},
    Names{"head_width", "head width"},
    Names{"rank", "rank of adapters"},
    Names{"element_bytes", "bytes of a weight's element"},
};
static_assert(kDimensions.size() == kDimensionCount);

constexpr std::array<std::string_view, 17> kWhats{
    "unknown",      "weight",        "gradient",         "optimizer state",
    "workspace",    "communication", "copy of a weight", "hidden state",
    "feed-forward", "projection",    "attention matrix", "row statistics",
    "logits",       "mask",          "positions",        "token ids",
    "per sample",
};
static_assert(kWhats.size() == static_cast<std::size_t>(What::per_sample) + 1);

} // namespace

std::string_view idOf(DimensionName name)
{
    return kDimensions[static_cast<std::size_t>(name)].id;
}

std::string_view nameOf(DimensionName name)
{
    return kDimensions[static_cast<std::size_t>(name)].name;
}

std::optional<DimensionName> dimensionFromId(std::string_view id)
{
    const auto found = std::ranges::find(kDimensions, id, &Names::id);
    return found == kDimensions.end()
        ? std::nullopt
        : std::optional(static_cast<DimensionName>(found - kDimensions.begin()));
}

std::string_view nameOf(What what)
{
    return kWhats[static_cast<std::size_t>(what)];
}

} // namespace tidemark::program
