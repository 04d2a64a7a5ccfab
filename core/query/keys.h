// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::query {

/// What a word of a query can ask about.
enum class Key : std::uint8_t {
    text, ///< A word without a key.
    bucket,
    role,
    phase,
    step,
    size,
    life,
    live,
    kept,
    stack,
    function,
    file,
    line,
    module,
    address,
    event,
    made,
    freed,
    stream,
    confidence,
};

/// What may stand behind a key.
enum class KeyKind : std::uint8_t {
    text, ///< Contained, whatever the case of ASCII letters.
    choice, ///< One of `choicesOf`.
    bytes,
    duration,
    number,
    address,
    moment, ///< Behind "@".
    nothing,
};

struct KeyInfo {
    Key key = Key::text;
    std::string_view name; ///< As it is written: "bucket".
    KeyKind kind = KeyKind::text;
    std::string_view what; ///< What it keeps, for a list that completes it.
    std::string_view example; ///< A whole word of a query.
};

/// All keys that are written, in the order in which a list shows them.
std::span<const KeyInfo> keyTable();
/// Requires a key of the table.
const KeyInfo& infoOf(Key key);
/// Null for a name that is no key.
const KeyInfo* findKey(std::string_view name);
/// The ids that a choice or a moment can have; empty for other kinds.
std::vector<std::string_view> choicesOf(Key key);
/// "bucket, role, …": for sentences.
std::string keyNames();

} // namespace tidemark::query
