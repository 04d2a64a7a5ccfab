// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/code_lines.h"

#include "core/base/ascii.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kLongestStatement = 1000; ///< Bytes; what is longer is cut.
constexpr std::size_t kMostJoined = 12; ///< Lines of one statement.
constexpr std::size_t kTab = 4;

bool isNamePart(char c)
{
    return isLetter(c) || isDigit(c) || c == '_';
}

/// Depth of brackets, and whether a place is inside quotes.
struct CodeState {
    int depth = 0;
    char quote = '\0';

    /// False where the byte is a quoted one or a bracket.
    bool pass(char c)
    {
        if (quote != '\0') {
            quote = c == quote ? '\0' : quote;
            return false;
        }
        if (c == '"' || c == '\'') {
            quote = c;
            return false;
        }
        if (c == '(' || c == '[' || c == '{') {
            ++depth;
            return false;
        }
        if (c == ')' || c == ']' || c == '}') {
            depth = std::max(0, depth - 1);
            return false;
        }
        return true;
    }
};

/// What stands before the code of a line: a prompt, a quotation's "> ", "---> 12".
std::size_t endOfMark(std::string_view line)
{
    for (const std::string_view mark : {">>> ", "... ", "> "}) {
        if (line.starts_with(mark)) {
            return mark.size();
        }
    }
    std::size_t at = 0;
    while (at < line.size() && (line[at] == ' ' || line[at] == '-' || line[at] == '>')) {
        ++at;
    }
    const std::size_t digits = at;
    while (at < line.size() && isDigit(line[at])) {
        ++at;
    }
    return digits > 0 && at > digits && at - digits <= 4 && at < line.size() && line[at] == ' '
        ? at + 1
        : 0;
}

/// Where a comment begins, or the end.
std::size_t endOfCode(std::string_view line)
{
    CodeState state;
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (state.quote == '\0' && line[at] == '#') {
            return at;
        }
        state.pass(line[at]);
    }
    return line.size();
}

void appendCompact(std::string_view code, std::string& out)
{
    char quote = '\0';
    bool is_blank = false;
    for (const char c : code) {
        if (quote == '\0' && (c == ' ' || c == '\t' || c == '\r' || c == '\\' || c == '`')) {
            is_blank = true;
            continue;
        }
        if (is_blank && !out.empty() && isNamePart(out.back()) && isNamePart(c)) {
            out.push_back(' ');
        }
        is_blank = false;
        if (c == '"' || c == '\'') {
            quote = quote == c ? '\0' : quote == '\0' ? c : quote;
        }
        out.push_back(c);
    }
}

} // namespace

std::vector<CodeStatement> codeStatements(std::string_view text)
{
    std::vector<CodeStatement> statements;
    std::int64_t number = 0;
    CodeState state;
    std::size_t joined = 0;
    bool is_open = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, std::min(end - at, kLongestStatement));
        at = end + 1;
        ++number;
        line.remove_prefix(endOfMark(line));
        std::size_t indent = 0;
        if (line.size() > 1 && line[0] == '+' && line[1] != '+' && line[1] != '-') {
            line.remove_prefix(1); // a diff's new line, beside old ones behind a blank
            indent = 1;
        }
        for (const char c : line) {
            if (c != ' ' && c != '\t') {
                break;
            }
            indent += c == '\t' ? kTab : 1;
        }
        const std::string_view code = trimmed(line.substr(0, endOfCode(line)));
        if (code.empty()) {
            continue;
        }
        const bool goes_on = state.depth > 0 && joined < kMostJoined && is_open
            && statements.back().text.size() < kLongestStatement;
        if (goes_on) {
            ++joined;
        } else {
            state = {};
            joined = 0;
            statements.push_back({{}, indent, end, number, trimmed(line)});
        }
        appendCompact(code, statements.back().text);
        for (const char c : code) {
            state.pass(c);
        }
        state.quote = '\0'; // an apostrophe of prose ends with its line
        // A bracket of prose, such as a smiley, stays open, too.
        is_open = std::string_view("([{,=+-*/").find(code.back()) != std::string_view::npos;
    }
    return statements;
}

std::string nameOf(std::string_view expression)
{
    std::string name;
    std::size_t at = 0;
    while (at < expression.size()) {
        if (isNamePart(expression[at]) || (expression[at] == '.' && !name.empty())) {
            name.push_back(expression[at++]);
        } else if (expression[at] == '[' && !name.empty()) {
            at += insideBrackets(expression, at).size() + 2;
        } else {
            break;
        }
    }
    return name.empty() || isDigit(name.front()) ? std::string() : name;
}

std::vector<std::string> namesIn(std::string_view expression)
{
    std::vector<std::string> names;
    CodeState state;
    for (std::size_t at = 0; at < expression.size();) {
        const bool begins =
            state.quote == '\0' && (isLetter(expression[at]) || expression[at] == '_');
        if (!begins) {
            state.pass(expression[at++]);
            continue;
        }
        const std::size_t begin = at;
        while (at < expression.size() && (isNamePart(expression[at]) || expression[at] == '.')) {
            ++at;
        }
        names.emplace_back(expression.substr(begin, at - begin));
    }
    return names;
}

std::string_view lastPart(std::string_view name)
{
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

std::size_t colonIn(std::string_view statement, std::size_t from)
{
    CodeState state;
    for (std::size_t at = from; at < statement.size(); ++at) {
        if (state.pass(statement[at]) && state.depth == 0 && statement[at] == ':') {
            return at;
        }
    }
    return std::string_view::npos;
}

std::vector<std::string_view> splitArguments(std::string_view arguments)
{
    std::vector<std::string_view> parts;
    CodeState state;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        if (state.pass(arguments[at]) && state.depth == 0 && arguments[at] == ',') {
            parts.push_back(arguments.substr(begin, at - begin));
            begin = at + 1;
        }
    }
    if (begin < arguments.size()) {
        parts.push_back(arguments.substr(begin));
    }
    return parts;
}

std::string_view insideBrackets(std::string_view text, std::size_t open)
{
    CodeState state;
    for (std::size_t at = open; at < text.size(); ++at) {
        state.pass(text[at]);
        if (at > open && state.depth == 0 && state.quote == '\0') {
            return text.substr(open + 1, at - open - 1);
        }
    }
    return text.substr(std::min(open + 1, text.size()));
}

Assigned assignedIn(std::string_view statement)
{
    CodeState state;
    for (std::size_t at = 0; at < statement.size(); ++at) {
        if (!state.pass(statement[at]) || state.depth > 0 || statement[at] != '=') {
            continue;
        }
        const char before = at > 0 ? statement[at - 1] : '\0';
        const bool compares = (at + 1 < statement.size() && statement[at + 1] == '=')
            || before == '=' || before == '!' || before == '<' || before == '>' || before == ':';
        if (compares || at == 0) {
            return {};
        }
        const bool has_sign = before == '+' || before == '-' || before == '*' || before == '/';
        return {statement.substr(0, at - (has_sign ? 1 : 0)), statement.substr(at + 1),
                has_sign ? before : ' '};
    }
    return {};
}

} // namespace tidemark::diagnose
