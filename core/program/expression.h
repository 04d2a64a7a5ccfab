// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tidemark::program {

/// A factor of a size: a dimension, or a small multiple of one that programs make in one piece.
enum class Factor : std::uint8_t {
    none,
    batch,
    sequence,
    sequence_less_one, ///< Labels shifted against the inputs.
    sequence_more_one,
    tokens, ///< batch · sequence.
    hidden,
    half_hidden, ///< Rotary position embedding rotates two halves.
    twice_hidden,
    thrice_hidden, ///< Queries, keys and values in one.
    feed_forward,
    twice_feed_forward, ///< Gate and up in one.
    vocabulary,
    kv_width, ///< Of keys or values where it is not hidden: key-value heads · head width.
    half_kv_width,
    fused_qkv_width, ///< hidden + 2 · kv_width.
    heads,
    kv_heads, ///< kv_width / head_width.
    head_width,
    half_head_width,
    rank, ///< Of adapters.
    number, ///< A width that has no name.
};

/// Values of the dimensions, elements; 0: not known.
struct Values {
    std::int64_t batch = 0;
    std::int64_t sequence = 0;
    std::int64_t tokens = 0;
    std::int64_t hidden = 0;
    std::int64_t feed_forward = 0;
    std::int64_t vocabulary = 0;
    std::int64_t kv_width = 0;
    std::int64_t heads = 0;
    std::int64_t rank = 0;
};

/// How a size follows a change: it is multiplied by (new batch / old)^batch · (new sequence /
/// old)^sequence.
struct Growth {
    int batch = 0;
    int sequence = 0;
    friend constexpr bool operator==(const Growth&, const Growth&) = default;
};

/// A size in bytes as a product of dimensions and the bytes of an element. A value, 32 bytes.
struct Expression {
    std::array<Factor, 4> factors{};
    std::int64_t number = 0; ///< Of the factor `number`; another stands for itself.
    std::int32_t element_bytes = 0;

    friend constexpr bool operator==(const Expression&, const Expression&) = default;
};

/// The value of one factor; 0 where a dimension in it is not known or does not divide.
std::int64_t valueOf(Factor factor, const Values& values, std::int64_t number);
/// Bytes; 0 where a factor is not known, or beyond what 64 bits count.
std::int64_t valueOf(const Expression& expression, const Values& values);
/// The shifted sequence counts as a sequence: one token more or less is neither here nor there.
Growth growthOf(const Expression& expression);

/// To be computed by a program, names as in the command line's JSON:
/// "batch*heads*sequence*sequence*4".
std::string formulaOf(const Expression& expression);
/// To be read: "batch · heads · sequence · sequence · 4 B".
std::string textOf(const Expression& expression);

} // namespace tidemark::program
