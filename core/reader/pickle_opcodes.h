// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemark::reader {

inline constexpr int kHighestProtocol = 5;
/// CPython refuses longer decimal integers itself; its conversion takes quadratic time.
inline constexpr std::size_t kLongestNumber = 1000;

/// What follows an opcode in the stream.
enum class OpArgument : std::uint8_t {
    none,
    bytes1, ///< A fixed number of bytes, little-endian.
    bytes2,
    bytes4,
    bytes8,
    counted1, ///< A length of that many bytes, then so many bytes.
    counted4,
    counted4_signed, ///< A negative length is an error.
    counted8,
    line, ///< Text up to a newline.
    number_line, ///< The same, but a number, so short.
    two_lines,
};

/// What kind of value lies on the stack, as far as the check needs to know.
enum class ValueKind : std::uint8_t {
    undefined, ///< No value: an unused memo entry.
    constant, ///< None, True, False.
    integer,
    floating,
    text,
    bytes,
    bytearray,
    list,
    tuple,
    dict,
    set,
    frozenset,
    wrapper, ///< One of the harmless callables, see inert_wrappers.h.
};

/// What an opcode does to stack and memo.
enum class OpEffect : std::uint8_t {
    unknown,
    push,
    mark,
    pop,
    pop_mark,
    dup,
    tuple_of_top, ///< TUPLE1 to TUPLE3.
    collect, ///< LIST, TUPLE, DICT, FROZENSET: everything since the mark becomes one value.
    append,
    appends,
    set_item,
    set_items,
    add_items,
    put,
    get,
    memoize,
    proto,
    frame,
    stop,
    global,
    stack_global,
    reduce,
    refuse_global,
    refuse_call,
    refuse_extension,
    refuse_persistent,
    out_of_band,
};

struct Opcode {
    std::string_view name;
    OpArgument argument = OpArgument::none;
    OpEffect effect = OpEffect::unknown;
    ValueKind kind = ValueKind::undefined; ///< Of the value pushed or made.
};

/// All opcodes of protocols 0 to 5 by their byte. Source: Lib/pickletools.py and Modules/_pickle.c
/// of CPython 3.11; protocol 5 (PEP 574) is the last one defined so far.
extern const std::array<Opcode, 256> kOpcodes;

} // namespace tidemark::reader
