// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

// Python as posts have it: whole functions, a few lines of a loop, one line in a sentence; with
// prompts, line numbers of IPython and marks of a diff.

/// One statement. Lines that open brackets are joined with those that close them.
struct CodeStatement {
    std::string text; ///< Without comment; blanks only between words: "for x in y:", "a+=b".
    std::size_t indent = 0;
    std::size_t end = 0; ///< Where its first line ends in the post.
    std::int64_t line_number = 0; ///< 1-based.
    std::string_view line; ///< Its first line, trimmed.
};

/// Every line as if it were code; prose is a statement that nothing is found in. O(text).
std::vector<CodeStatement> codeStatements(std::string_view text);

/// "a.b[0].c" is "a.b.c": the name that an expression begins with; empty: none.
std::string nameOf(std::string_view expression);
/// Every name in an expression, calls' names and attributes too, outside of quotes.
std::vector<std::string> namesIn(std::string_view expression);
/// The last part of a dotted name.
std::string_view lastPart(std::string_view name);
/// The first colon outside of brackets and quotes, from `from` on; npos: there is none.
std::size_t colonIn(std::string_view statement, std::size_t from = 0);
/// The parts between commas outside of brackets and quotes.
std::vector<std::string_view> splitArguments(std::string_view arguments);
/// What the brackets that open at `open` hold; to the end where nothing closes them.
std::string_view insideBrackets(std::string_view text, std::size_t open);

/// "target += value": the operator is '+', ' ' for a plain one, '\0' where it assigns nothing.
struct Assigned {
    std::string_view target;
    std::string_view value;
    char sign = '\0';
};
Assigned assignedIn(std::string_view statement);

} // namespace tidemark::diagnose
