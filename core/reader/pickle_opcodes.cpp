// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/pickle_opcodes.h"

#include <cstddef>

namespace tidemark::reader {
namespace {

using A = OpArgument;
using E = OpEffect;
using K = ValueKind;

struct Row {
    unsigned char code;
    Opcode opcode;
};

constexpr Row kRows[] = {
    // Protocols 0 and 1.
    {'(', {"MARK", A::none, E::mark, K::undefined}},
    {'.', {"STOP", A::none, E::stop, K::undefined}},
    {'0', {"POP", A::none, E::pop, K::undefined}},
    {'1', {"POP_MARK", A::none, E::pop_mark, K::undefined}},
    {'2', {"DUP", A::none, E::dup, K::undefined}},
    {'F', {"FLOAT", A::number_line, E::push, K::floating}},
    {'I', {"INT", A::number_line, E::push, K::integer}},
    {'J', {"BININT", A::bytes4, E::push, K::integer}},
    {'K', {"BININT1", A::bytes1, E::push, K::constant}},
    {'L', {"LONG", A::number_line, E::push, K::integer}},
    {'M', {"BININT2", A::bytes2, E::push, K::integer}},
    {'N', {"NONE", A::none, E::push, K::constant}},
    {'P', {"PERSID", A::line, E::refuse_persistent, K::undefined}},
    {'Q', {"BINPERSID", A::none, E::refuse_persistent, K::undefined}},
    {'R', {"REDUCE", A::none, E::reduce, K::undefined}},
    {'S', {"STRING", A::line, E::push, K::text}},
    {'T', {"BINSTRING", A::counted4_signed, E::push, K::text}},
    {'U', {"SHORT_BINSTRING", A::counted1, E::push, K::text}},
    {'V', {"UNICODE", A::line, E::push, K::text}},
    {'X', {"BINUNICODE", A::counted4, E::push, K::text}},
    {'a', {"APPEND", A::none, E::append, K::undefined}},
    {'b', {"BUILD", A::none, E::refuse_call, K::undefined}},
    {'c', {"GLOBAL", A::two_lines, E::global, K::undefined}},
    {'d', {"DICT", A::none, E::collect, K::dict}},
    {'}', {"EMPTY_DICT", A::none, E::push, K::dict}},
    {'e', {"APPENDS", A::none, E::appends, K::undefined}},
    {'g', {"GET", A::number_line, E::get, K::undefined}},
    {'h', {"BINGET", A::bytes1, E::get, K::undefined}},
    {'i', {"INST", A::two_lines, E::refuse_global, K::undefined}},
    {'j', {"LONG_BINGET", A::bytes4, E::get, K::undefined}},
    {'l', {"LIST", A::none, E::collect, K::list}},
    {']', {"EMPTY_LIST", A::none, E::push, K::list}},
    {'o', {"OBJ", A::none, E::refuse_call, K::undefined}},
    {'p', {"PUT", A::number_line, E::put, K::undefined}},
    {'q', {"BINPUT", A::bytes1, E::put, K::undefined}},
    {'r', {"LONG_BINPUT", A::bytes4, E::put, K::undefined}},
    {'s', {"SETITEM", A::none, E::set_item, K::undefined}},
    {'t', {"TUPLE", A::none, E::collect, K::tuple}},
    {')', {"EMPTY_TUPLE", A::none, E::push, K::tuple}},
    {'u', {"SETITEMS", A::none, E::set_items, K::undefined}},
    {'G', {"BINFLOAT", A::bytes8, E::push, K::floating}},
    // Protocol 2.
    {0x80, {"PROTO", A::bytes1, E::proto, K::undefined}},
    {0x81, {"NEWOBJ", A::none, E::refuse_call, K::undefined}},
    {0x82, {"EXT1", A::bytes1, E::refuse_extension, K::undefined}},
    {0x83, {"EXT2", A::bytes2, E::refuse_extension, K::undefined}},
    {0x84, {"EXT4", A::bytes4, E::refuse_extension, K::undefined}},
    {0x85, {"TUPLE1", A::none, E::tuple_of_top, K::tuple}},
    {0x86, {"TUPLE2", A::none, E::tuple_of_top, K::tuple}},
    {0x87, {"TUPLE3", A::none, E::tuple_of_top, K::tuple}},
    {0x88, {"NEWTRUE", A::none, E::push, K::constant}},
    {0x89, {"NEWFALSE", A::none, E::push, K::constant}},
    {0x8a, {"LONG1", A::counted1, E::push, K::integer}},
    {0x8b, {"LONG4", A::counted4_signed, E::push, K::integer}},
    // Protocol 3.
    {'B', {"BINBYTES", A::counted4, E::push, K::bytes}},
    {'C', {"SHORT_BINBYTES", A::counted1, E::push, K::bytes}},
    // Protocol 4.
    {0x8c, {"SHORT_BINUNICODE", A::counted1, E::push, K::text}},
    {0x8d, {"BINUNICODE8", A::counted8, E::push, K::text}},
    {0x8e, {"BINBYTES8", A::counted8, E::push, K::bytes}},
    {0x8f, {"EMPTY_SET", A::none, E::push, K::set}},
    {0x90, {"ADDITEMS", A::none, E::add_items, K::undefined}},
    {0x91, {"FROZENSET", A::none, E::collect, K::frozenset}},
    {0x92, {"NEWOBJ_EX", A::none, E::refuse_call, K::undefined}},
    {0x93, {"STACK_GLOBAL", A::none, E::stack_global, K::undefined}},
    {0x94, {"MEMOIZE", A::none, E::memoize, K::undefined}},
    {0x95, {"FRAME", A::bytes8, E::frame, K::undefined}},
    // Protocol 5.
    {0x96, {"BYTEARRAY8", A::counted8, E::push, K::bytearray}},
    {0x97, {"NEXT_BUFFER", A::none, E::out_of_band, K::undefined}},
    {0x98, {"READONLY_BUFFER", A::none, E::out_of_band, K::undefined}},
};

constexpr std::array<Opcode, 256> makeTable()
{
    std::array<Opcode, 256> table{};
    for (const Row& row : kRows) {
        table[static_cast<std::size_t>(row.code)] = row.opcode;
    }
    return table;
}

} // namespace

constexpr std::array<Opcode, 256> kOpcodes = makeTable();

} // namespace tidemark::reader
