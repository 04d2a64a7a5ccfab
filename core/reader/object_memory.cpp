// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/object_memory.h"

#include <algorithm>

namespace tidemark::reader {
namespace {

/// Python gives every character of a text the width of the widest one, and keeps the UTF-8 form
/// beside that once it was asked for.
std::uint64_t textMemory(std::string_view bytes, bool has_escapes)
{
    unsigned char highest = 0;
    for (const char c : bytes) {
        highest = std::max(highest, static_cast<unsigned char>(c));
    }
    constexpr unsigned char kFourBytes = 0xf0; // U+10000 and above
    const bool may_be_wide =
        highest >= kFourBytes || (has_escapes && bytes.find('\\') != std::string_view::npos);
    const std::uint64_t per_byte = may_be_wide ? 5 : (highest >= 0x80 ? 3 : 1);
    return 64 + per_byte * bytes.size();
}

} // namespace

std::uint64_t memoryOf(ValueKind kind, std::string_view bytes, bool has_escapes)
{
    switch (kind) {
    case ValueKind::integer:
        return 32 + bytes.size();
    case ValueKind::floating:
        return 32;
    case ValueKind::text:
        return textMemory(bytes, has_escapes);
    case ValueKind::bytes:
    case ValueKind::bytearray:
    case ValueKind::wrapper:
        return 64 + bytes.size();
    case ValueKind::list:
    case ValueKind::tuple:
    case ValueKind::dict:
        return 80;
    case ValueKind::set:
    case ValueKind::frozenset:
        return 232;
    default:
        return 0;
    }
}

} // namespace tidemark::reader
