// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/expression.h"

#include "core/base/format.h"

#include <cstddef>
#include <string_view>

namespace tidemark::program {
namespace {

struct FactorNames {
    std::string_view formula;
    std::string_view text;
};

/// By `Factor`. Formulas are computed from left to right, so halves multiply first.
constexpr std::array kNames{
    FactorNames{"", ""},
    FactorNames{"batch", "batch"},
    FactorNames{"sequence", "sequence"},
    FactorNames{"(sequence-1)", "(sequence − 1)"},
    FactorNames{"(sequence+1)", "(sequence + 1)"},
    FactorNames{"tokens", "tokens"},
    FactorNames{"hidden", "hidden"},
    FactorNames{"hidden/2", "hidden/2"},
    FactorNames{"2*hidden", "2 · hidden"},
    FactorNames{"3*hidden", "3 · hidden"},
    FactorNames{"feed_forward", "feed-forward"},
    FactorNames{"2*feed_forward", "2 · feed-forward"},
    FactorNames{"vocabulary", "vocabulary"},
    FactorNames{"kv_width", "key-value width"},
    FactorNames{"kv_width/2", "key-value width/2"},
    FactorNames{"(hidden+2*kv_width)", "(hidden + 2 · key-value width)"},
    FactorNames{"heads", "heads"},
    FactorNames{"kv_heads", "key-value heads"},
    FactorNames{"head_width", "head width"},
    FactorNames{"head_width/2", "head width/2"},
    FactorNames{"rank", "rank"},
    FactorNames{"", ""},
};
static_assert(kNames.size() == static_cast<std::size_t>(Factor::number) + 1);

const FactorNames& namesOf(Factor factor)
{
    return kNames[static_cast<std::size_t>(factor)];
}

std::int64_t exactly(std::int64_t value, std::int64_t divisor)
{
    return divisor != 0 && value % divisor == 0 ? value / divisor : 0;
}

} // namespace

std::int64_t valueOf(Factor factor, const Values& v, std::int64_t number)
{
    switch (factor) {
    case Factor::none:
        return 1;
    case Factor::batch:
        return v.batch;
    case Factor::sequence:
        return v.sequence;
    case Factor::sequence_less_one:
        return v.sequence - 1;
    case Factor::sequence_more_one:
        return v.sequence + 1;
    case Factor::tokens:
        return v.tokens;
    case Factor::hidden:
        return v.hidden;
    case Factor::half_hidden:
        return exactly(v.hidden, 2);
    case Factor::twice_hidden:
        return 2 * v.hidden;
    case Factor::thrice_hidden:
        return 3 * v.hidden;
    case Factor::feed_forward:
        return v.feed_forward;
    case Factor::twice_feed_forward:
        return 2 * v.feed_forward;
    case Factor::vocabulary:
        return v.vocabulary;
    case Factor::kv_width:
        return v.kv_width;
    case Factor::half_kv_width:
        return exactly(v.kv_width, 2);
    case Factor::fused_qkv_width:
        return v.hidden + 2 * v.kv_width;
    case Factor::heads:
        return v.heads;
    case Factor::kv_heads:
        return exactly(v.kv_width, exactly(v.hidden, v.heads));
    case Factor::head_width:
        return exactly(v.hidden, v.heads);
    case Factor::half_head_width:
        return exactly(exactly(v.hidden, v.heads), 2);
    case Factor::rank:
        return v.rank;
    case Factor::number:
        return number;
    }
    return 0;
}

std::int64_t valueOf(const Expression& expression, const Values& values)
{
    std::int64_t bytes = expression.element_bytes;
    for (const Factor factor : expression.factors) {
        if (__builtin_mul_overflow(bytes, valueOf(factor, values, expression.number), &bytes)) {
            return 0;
        }
    }
    return bytes;
}

Growth growthOf(const Expression& expression)
{
    Growth growth;
    for (const Factor factor : expression.factors) {
        growth.batch += factor == Factor::batch || factor == Factor::tokens ? 1 : 0;
        growth.sequence += factor == Factor::sequence || factor == Factor::sequence_less_one
                || factor == Factor::sequence_more_one || factor == Factor::tokens
            ? 1
            : 0;
    }
    return growth;
}

std::string formulaOf(const Expression& expression)
{
    std::string text;
    for (const Factor factor : expression.factors) {
        if (factor != Factor::none) {
            text += factor == Factor::number ? std::to_string(expression.number)
                                             : std::string(namesOf(factor).formula);
            text += '*';
        }
    }
    return text + std::to_string(expression.element_bytes);
}

std::string textOf(const Expression& expression)
{
    std::string text;
    for (const Factor factor : expression.factors) {
        if (factor != Factor::none) {
            text += factor == Factor::number ? formatCount(expression.number)
                                             : std::string(namesOf(factor).text);
            text += " · ";
        }
    }
    return text + std::to_string(expression.element_bytes) + " B";
}

} // namespace tidemark::program
