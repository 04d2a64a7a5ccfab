// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::query {

/// A word of a query, without its quotation marks and without "-" or "not" before it.
struct Word {
    std::string text;
    std::size_t offset = 0; ///< Of its first character in the query, bytes.
    bool is_quoted = false; ///< It begins with a quotation mark: it has no key.
    bool is_negated = false;
};

/// Splits a query at its spaces. A unit by itself belongs to the figure before it. O(length).
/// Errors: badArgument for a quotation mark that is not closed, and for a "not" with nothing
/// behind it.
Result<std::vector<Word>> splitWords(std::string_view text);

/// `text` with quotation marks where it would not be one word of a query.
std::string quoted(std::string_view text);

} // namespace tidemark::query
