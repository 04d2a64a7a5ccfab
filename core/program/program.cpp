// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/program.h"

#include "core/base/language.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tidemark::program {
namespace {

struct NamedDimension {
    std::string_view id;
    std::string_view name;
};

constexpr std::array kDimensions{
    NamedDimension{"batch", toSay("batch")},
    NamedDimension{"sequence", toSay("sequence")},
    NamedDimension{"tokens", toSay("tokens")},
    NamedDimension{"hidden", toSay("hidden")},
    NamedDimension{"feed_forward", toSay("feed-forward")},
    NamedDimension{"heads", toSay("heads")},
    NamedDimension{"kv_heads", toSay("key-value heads")},
    NamedDimension{"layers", toSay("layers")},
    NamedDimension{"vocabulary", toSay("vocabulary")},
    NamedDimension{"kv_width", toSay("key-value width")},
    NamedDimension{"head_width", toSay("head width")},
    NamedDimension{"rank", toSay("LoRA rank")},
    NamedDimension{"element_bytes", toSay("bytes per weight")},
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
static_assert(kWhats.size() == static_cast<std::size_t>(TensorKind::per_sample) + 1);

bool isStated(Factor factor, const Program& program)
{
    const auto states = [&](DimensionName name) { return program.find(name) != nullptr; };
    switch (factor) {
    case Factor::none:
    case Factor::number:
        return true;
    case Factor::batch:
        return states(DimensionName::batch);
    case Factor::sequence:
    case Factor::sequence_less_one:
    case Factor::sequence_more_one:
        return states(DimensionName::sequence);
    case Factor::tokens:
        return states(DimensionName::tokens);
    case Factor::hidden:
    case Factor::half_hidden:
    case Factor::twice_hidden:
    case Factor::thrice_hidden:
        return states(DimensionName::hidden);
    case Factor::feed_forward:
    case Factor::twice_feed_forward:
        return states(DimensionName::feed_forward);
    case Factor::vocabulary:
        return states(DimensionName::vocabulary);
    case Factor::kv_width:
    case Factor::half_kv_width:
        return states(DimensionName::kv_width);
    case Factor::fused_qkv_width:
        return states(DimensionName::hidden) && states(DimensionName::kv_width);
    case Factor::heads:
        return states(DimensionName::heads);
    case Factor::kv_heads:
        return states(DimensionName::kv_width) && states(DimensionName::heads);
    case Factor::head_width:
    case Factor::half_head_width:
        return states(DimensionName::hidden) && states(DimensionName::heads);
    case Factor::rank:
        return states(DimensionName::rank);
    }
    return false;
}

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
    const auto found = std::ranges::find(kDimensions, id, &NamedDimension::id);
    return found == kDimensions.end()
        ? std::nullopt
        : std::optional(static_cast<DimensionName>(found - kDimensions.begin()));
}

std::string_view wordsOf(TensorKind what)
{
    return translated(nameOf(what));
}

std::string_view nameOf(TensorKind what)
{
    return kWhats[static_cast<std::size_t>(what)];
}

const Expression* Program::statedExpression(const SizeUse& use) const
{
    const Expression* only = nullptr;
    for (const Expression& e : use.expressions) {
        if (std::ranges::all_of(e.factors, [this](Factor f) { return isStated(f, *this); })) {
            if (only != nullptr) {
                return nullptr;
            }
            only = &e;
        }
    }
    return only;
}

} // namespace tidemark::program
