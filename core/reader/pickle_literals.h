// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/native_slot.h"
#include "core/reader/native_store.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::reader {

/// A number at any address. All machines this is built for are little-endian, as pickles are.
template <class Number>
Number littleEndian(const unsigned char* bytes)
{
    Number number = 0;
    std::memcpy(&number, bytes, sizeof number);
    return number;
}

inline std::string_view bytesView(const unsigned char* bytes, std::uint64_t length)
{
    return {reinterpret_cast<const char*>(bytes), length};
}

// The arguments of opcodes as values, by the rules of CPython's unpickler. Nothing for what it
// would refuse, and for rare spellings that are left to it (octal and hexadecimal numbers, escapes
// by name): the native reader declines there.

/// LONG1 and LONG4: two's complement, little-endian, any length.
Slot integerFromBytes(NativeStore& store, std::string_view bytes);
/// BINFLOAT: big-endian.
Slot floatFromBytes(NativeStore& store, const unsigned char* bytes);
/// INT, where "00" and "01" are the booleans, and LONG with its "L".
std::optional<Slot> integerFromLine(NativeStore& store, std::string_view line, bool is_long);
std::optional<Slot> floatFromLine(NativeStore& store, std::string_view line);
/// UNICODE: Latin-1 with \uXXXX and \UXXXXXXXX.
std::optional<Slot> textFromLine(NativeStore& store, std::string_view line);
/// STRING: a quoted Python 2 string.
std::optional<Slot> textFromQuoted(NativeStore& store, std::string_view line);

} // namespace tidemark::reader
