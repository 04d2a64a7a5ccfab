// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// A launch script keeps its options in variables; here they are put where they are used.
#include "core/base/ascii.h"
#include "core/config/settings.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace tidemark::config {
namespace {

bool isNameStart(char c)
{
    return isLetter(c) || c == '_';
}

bool isNameChar(char c)
{
    return isLetter(c) || isDigit(c) || c == '_';
}

std::size_t nameEnd(std::string_view text, std::size_t at)
{
    while (at < text.size() && isNameChar(text[at])) {
        ++at;
    }
    return at;
}

class Expander {
public:
    explicit Expander(std::string_view text)
        : m_text(text)
    {
    }

    std::string run()
    {
        std::string out;
        bool begins_line = true;
        std::size_t at = 0;
        while (at < m_text.size() && out.size() <= kMostConfigBytes) {
            if (begins_line && takeAssignment(at)) {
                continue; // `at` stands behind it
            }
            const char c = m_text[at];
            begins_line = c == '\n' || c == ';' || (begins_line && (c == ' ' || c == '\t'));
            if (c != '$' && c != '"') {
                out += c;
                ++at;
                continue;
            }
            // "${NAME[@]}" with its quotes gives several words.
            const bool is_quoted_list = c == '"' && isListAt(at + 1);
            std::size_t end = at + (is_quoted_list ? 1 : 0);
            if (const auto value = m_text[end] == '$' ? valueAt(end) : std::nullopt) {
                out += *value;
                at = end + (is_quoted_list ? 1 : 0);
            } else {
                out += c;
                ++at;
            }
        }
        out.resize(std::min(out.size(), kMostConfigBytes));
        return out;
    }

private:
    [[nodiscard]] bool isListAt(std::size_t at) const
    {
        const std::string_view rest = m_text.substr(std::min(at, m_text.size()));
        const std::size_t close = rest.find('}');
        return rest.starts_with("${") && close != std::string_view::npos
            && rest.substr(0, close).ends_with("[@]") && rest.substr(close + 1).starts_with('"');
    }

    /// What stands for "$NAME", "${NAME}", "${NAME[@]}" or "${NAME:-8}" at `at`, which then stands
    /// behind it. Unset: the name is not known and has no default.
    std::optional<std::string> valueAt(std::size_t& at) const
    {
        const bool has_braces = at + 1 < m_text.size() && m_text[at + 1] == '{';
        const std::size_t begin = at + (has_braces ? 2 : 1);
        std::size_t end = nameEnd(m_text, begin);
        const std::string_view name = m_text.substr(begin, end - begin);
        const auto known = m_values.find(name);
        if (!has_braces) {
            if (known == m_values.end()) {
                return std::nullopt;
            }
            at = end;
            return known->second;
        }
        const std::size_t close = m_text.find('}', end);
        if (close == std::string_view::npos) {
            return std::nullopt;
        }
        const std::string_view rest = m_text.substr(end, close - end);
        const bool is_plain = rest.empty() || rest == "[@]" || rest == "[*]";
        const bool has_default = rest.starts_with(":-") || rest.starts_with(":=");
        if (!has_default && (!is_plain || known == m_values.end())) {
            return std::nullopt;
        }
        at = close + 1;
        return known != m_values.end() ? known->second : std::string(rest.substr(2));
    }

    /// NAME=value, NAME="several words" or NAME=(several words) that is a statement of its own;
    /// `at` then stands behind it. "NAME=value command" is left where it is.
    bool takeAssignment(std::size_t& at)
    {
        std::size_t begin = at;
        const std::string_view rest = m_text.substr(begin);
        for (const std::string_view word : {"export ", "local ", "declare "}) {
            begin += rest.starts_with(word) ? word.size() : 0;
        }
        const std::size_t equals = nameEnd(m_text, begin);
        if (begin >= m_text.size() || !isNameStart(m_text[begin]) || equals >= m_text.size()
            || m_text[equals] != '=') {
            return false;
        }
        std::size_t end = equals + 1;
        const std::optional<std::string> value = assigned(end);
        const std::size_t next = std::min(m_text.find_first_not_of(" \t\r", end), m_text.size());
        const bool ends = next == m_text.size() || m_text[next] == '\n' || m_text[next] == ';'
            || m_text[next] == '#';
        if (!value || !ends) {
            return false;
        }
        const std::string name(m_text.substr(begin, equals - begin));
        // What only holds options is no setting itself; others ("NCCL_DEBUG=INFO") stay.
        const bool has_options = value->find("--") != std::string::npos;
        m_values[name] = *value;
        if (has_options) {
            at = next;
        }
        return has_options;
    }

    /// The value that begins at `at`, its own variables put in; `at` then stands behind it.
    std::optional<std::string> assigned(std::size_t& at) const
    {
        const char first = at < m_text.size() ? m_text[at] : '\n';
        const char last = first == '(' ? ')' : first;
        const bool is_enclosed = first == '"' || first == '\'' || first == '(';
        std::string value;
        std::size_t i = at + (is_enclosed ? 1 : 0);
        while (i < m_text.size() && value.size() <= kMostConfigBytes) {
            const char c = m_text[i];
            if (is_enclosed ? c == last : std::isspace(static_cast<unsigned char>(c)) || c == ';') {
                break;
            }
            if (c == '$' && first != '\'') {
                if (const auto inner = valueAt(i)) {
                    value += *inner;
                    continue;
                }
            }
            value += c;
            ++i;
        }
        if (is_enclosed && i >= m_text.size()) {
            return std::nullopt;
        }
        at = i + (is_enclosed ? 1 : 0);
        return value;
    }

    std::string_view m_text;
    std::map<std::string, std::string, std::less<>> m_values;
};

} // namespace

std::string withShellVariables(std::string_view text)
{
    return Expander(text).run();
}

} // namespace tidemark::config
