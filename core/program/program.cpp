// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/program.h"

#include "core/base/language.h"

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
    Names{"batch", toSay("batch")},
    Names{"sequence", toSay("sequence")},
    Names{"tokens", toSay("tokens")},
    Names{"hidden", toSay("hidden")},
    Names{"feed_forward", toSay("feed-forward")},
    Names{"heads", toSay("heads")},
    Names{"kv_heads", toSay("key-value heads")},
    Names{"layers", toSay("layers")},
    Names{"vocabulary", toSay("vocabulary")},
    Names{"kv_width", toSay("key-value width")},
    Names{"head_width", toSay("head width")},
    Names{"rank", toSay("rank of adapters")},
    Names{"element_bytes", toSay("bytes of a weight's element")},
};
static_assert(kDimensions.size() == kDimensionCount);

constexpr std::array<std::string_view, 17> kWhats{
    toSay("unknown"),          toSay("weight"),
    toSay("gradient"),         toSay("optimizer state"),
    toSay("workspace"),        toSay("communication"),
    toSay("copy of a weight"), toSay("hidden state"),
    toSay("feed-forward"),     toSay("projection"),
    toSay("attention matrix"), toSay("row statistics"),
    toSay("logits"),           toSay("mask"),
    toSay("positions"),        toSay("token ids"),
    toSay("per sample"),
};
static_assert(kWhats.size() == static_cast<std::size_t>(What::per_sample) + 1);

} // namespace

std::string_view idOf(DimensionName name)
{
    return kDimensions[static_cast<std::size_t>(name)].id;
}

std::string_view nameOf(DimensionName name)
{
    return translated(kDimensions[static_cast<std::size_t>(name)].name);
}

std::optional<DimensionName> dimensionFromId(std::string_view id)
{
    const auto found = std::ranges::find(kDimensions, id, &Names::id);
    return found == kDimensions.end()
        ? std::nullopt
        : std::optional(static_cast<DimensionName>(found - kDimensions.begin()));
}

std::string_view wordsOf(What what)
{
    return translated(nameOf(what));
}

std::string_view nameOf(What what)
{
    return kWhats[static_cast<std::size_t>(what)];
}

} // namespace tidemark::program
