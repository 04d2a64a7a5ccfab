// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/config/settings.h"

#include <algorithm>
#include <array>

namespace tidemark::config {
namespace {

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool isWordStart(char c)
{
    return isLetter(c) || c == '_';
}

bool isNamePart(char c)
{
    return isLetter(c) || isDigit(c) || c == '_' || c == '.' || c == '-';
}

/// Words as a shell takes a command apart: quotes, escapes, comments; line ends are blanks.
std::vector<std::string> shellWords(std::string_view text)
{
    std::vector<std::string> words;
    std::string word;
    bool is_in_word = false;
    char quote = 0;
    for (std::size_t i = 0; i < text.size() && words.size() < kMostSettings; ++i) {
        const char c = text[i];
        if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            ++i;
            if (text[i] != '\n') {
                word += text[i];
                is_in_word = true;
            }
        } else if (quote != 0) {
            quote = c == quote ? '\0' : quote;
            word += quote != 0 ? std::string(1, c) : std::string();
        } else if (c == '\'' || c == '"') {
            quote = c;
            is_in_word = true;
        } else if (c == '#' && !is_in_word) {
            i = std::min(text.find('\n', i), text.size()) - 1;
        } else if (isBlank(c)) {
            if (is_in_word) {
                words.push_back(std::move(word));
            }
            word.clear();
            is_in_word = false;
        } else {
            word += c;
            is_in_word = true;
        }
    }
    if (is_in_word) {
        words.push_back(std::move(word));
    }
    return words;
}

/// "a.b=c" with a name that could be one: name and value.
std::optional<Setting> assignmentFrom(std::string_view word)
{
    const std::size_t begin = std::min(word.find_first_not_of('+'), word.size());
    const std::size_t equals = word.find('=');
    const bool has_name = equals != std::string_view::npos && begin < equals
        && isWordStart(word[begin])
        && std::all_of(word.begin() + static_cast<std::ptrdiff_t>(begin),
                       word.begin() + static_cast<std::ptrdiff_t>(equals), isNamePart);
    if (!has_name) {
        return std::nullopt;
    }
    return Setting{plainName(word.substr(begin, equals - begin)),
                   std::string(word.substr(equals + 1))};
}

/// "--name", "--name=value" or "-tp": the name with its dashes; empty for other words.
bool isOption(std::string_view word)
{
    const std::size_t begin = word.find_first_not_of('-');
    return (begin == 1 || begin == 2) && isWordStart(word[begin]);
}

bool isLauncher(std::string_view word)
{
    static constexpr std::array<std::string_view, 15> kLaunchers{
        "torchrun", "accelerate", "deepspeed", "python",     "python3",
        "vllm",     "mpirun",     "srun",      "tune",       "llamafactory-cli",
        "swift",    "axolotl",    "composer",  "colossalai", "horovodrun"};
    const std::string_view name = word.substr(word.rfind('/') + 1);
    return std::ranges::find(kLaunchers, name) != kLaunchers.end();
}

/// "name = value" as "name=value".
std::string withoutSpaceAroundEquals(std::string_view part)
{
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
        return std::string(part);
    }
    return std::string(trimmed(part.substr(0, equals))) + '='
        + std::string(trimmed(part.substr(equals + 1)));
}

/// Python without what stands behind "#", outside of quotes.
std::string withoutComments(std::string_view text)
{
    std::string kept;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote == 0 && c == '#') {
            i = std::min(text.find('\n', i), text.size());
            kept += '\n';
            continue;
        }
        if (c == '\n' || (quote != 0 && c == quote)) {
            quote = 0; // one that is left open ends with its line
        } else if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
        }
        kept += c;
    }
    return kept;
}

/// Where a value that begins at `at` ends: at a comma or closing bracket of its own level.
std::size_t valueEnd(std::string_view text, std::size_t at)
{
    int depth = 0;
    char quote = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (quote != 0) {
            at += c == '\\' ? 1 : 0;
            quote = c == quote ? '\0' : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '(' || c == '[' || c == '{') {
            ++depth;
        } else if (c == ')' || c == ']' || c == '}') {
            if (--depth < 0) {
                return at;
            }
        } else if (c == ',' && depth == 0) {
            return at;
        }
    }
    return text.size();
}

std::string withoutQuotes(std::string_view value)
{
    const std::string_view inner = trimmed(value);
    const bool is_quoted = inner.size() >= 2 && (inner.front() == '\'' || inner.front() == '"')
        && inner.back() == inner.front();
    const bool is_list = inner.size() >= 2 && inner.front() == '[' && inner.back() == ']';
    return std::string(is_quoted || is_list ? inner.substr(1, inner.size() - 2) : inner);
}

/// Whether calls of this name have the settings of a run.
bool holdsSettings(std::string_view callee)
{
    static constexpr std::array<std::string_view, 5> kEndings{"Arguments", "Config", "Trainer",
                                                              "Accelerator", "Args"};
    return std::ranges::any_of(kEndings,
                               [&](std::string_view ending) { return callee.ends_with(ending); });
}

/// Adds the named arguments of the call whose bracket stands before `at`.
void addArguments(std::string_view text, std::size_t at, std::string_view callee,
                  Settings& settings)
{
    // Names that mean something only in their own call.
    const std::string before = callee.ends_with("LoraConfig") ? "loraconfig." : "";
    while (at < text.size() && settings.all.size() < kMostSettings) {
        const std::size_t end = valueEnd(text, at);
        const std::string_view part = trimmed(text.substr(at, end - at));
        if (const auto one = assignmentFrom(withoutSpaceAroundEquals(part))) {
            settings.all.push_back({before + one->path, withoutQuotes(one->value)});
        }
        if (end >= text.size() || text[end] != ',') {
            return;
        }
        at = end + 1;
    }
}

/// A number, a quoted text, True, False or None: what no program has to work out.
bool isLiteral(std::string_view value)
{
    if (value.empty()) {
        return false;
    }
    if (value.front() == '\'' || value.front() == '"') {
        return value.size() >= 2 && value.back() == value.front()
            && value.find(value.front(), 1) == value.size() - 1;
    }
    return value == "True" || value == "False" || value == "None"
        || value.find_first_not_of("0123456789._eE+-") == std::string_view::npos;
}

/// Lines "NAME = value" and "\"name\": value," of a Python file that calls nothing with settings;
/// only literals, so that nothing has to be worked out.
std::optional<Settings> assignmentsFrom(std::string_view text)
{
    Settings settings{toSay("Python assignments"), {}};
    for (std::size_t begin = 0; begin < text.size() && settings.all.size() < kMostSettings;) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = trimmed(text.substr(begin, end - begin));
        begin = end + 1;
        line = trimmed(line.ends_with(',') ? line.substr(0, line.size() - 1) : line);
        const bool is_entry = line.starts_with('"') || line.starts_with('\'');
        const std::size_t colon = is_entry ? line.find(line.front(), 1) + 1 : line.find('=');
        const std::size_t mark =
            is_entry && colon < line.size() ? line.find_first_not_of(" \t", colon) : colon;
        if (mark >= line.size() || line[mark] != (is_entry ? ':' : '=')) {
            continue;
        }
        const std::string name = withoutQuotes(line.substr(0, colon));
        const std::string_view value = trimmed(line.substr(mark + 1));
        const bool is_name = !name.empty() && isWordStart(name.front())
            && std::all_of(name.begin(), name.end(), isNamePart);
        if (is_name && isLiteral(value)) {
            settings.all.push_back({plainName(name), withoutQuotes(value)});
        }
    }
    return settings.all.empty() ? std::nullopt : std::optional(std::move(settings));
}

} // namespace

std::optional<Settings> settingsFromPython(std::string_view script)
{
    const std::string kept = withoutComments(script);
    const std::string_view text = kept;
    Settings settings{toSay("trainer arguments"), {}};
    bool has_call = false;
    for (std::size_t open = text.find('('); open != std::string_view::npos;
         open = text.find('(', open + 1)) {
        std::size_t begin = open;
        while (begin > 0 && isNamePart(text[begin - 1])) {
            --begin;
        }
        const std::string_view callee = text.substr(begin, open - begin);
        const bool is_call =
            !callee.empty() && isWordStart(callee.front()) && (begin == 0 || holdsSettings(callee));
        if (is_call) {
            has_call = true;
            addArguments(text, open + 1, callee, settings);
        }
    }
    return has_call ? std::optional(std::move(settings)) : std::nullopt;
}

std::optional<Settings> settingsFromAssignments(std::string_view script)
{
    return assignmentsFrom(withoutComments(script));
}

std::optional<Settings> settingsFromWords(std::string_view text)
{
    const std::vector<std::string> words = shellWords(withShellVariables(text));
    const bool has_launcher = std::any_of(words.begin(), words.end(),
                                          [](const std::string& word) { return isLauncher(word); });
    const bool has_option = std::any_of(words.begin(), words.end(), [](const std::string& word) {
        return word.starts_with("--") && isOption(word);
    });
    const bool all_assign =
        !words.empty() && std::all_of(words.begin(), words.end(), [](const std::string& word) {
            return word == "export" || assignmentFrom(word).has_value();
        });
    if (!has_launcher && !has_option && !all_assign) {
        return std::nullopt;
    }
    Settings settings{all_assign ? toSay("overrides") : toSay("launch line"), {}};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (isLauncher(word)) {
            settings.all.push_back({"launcher", std::string(word.substr(word.rfind('/') + 1))});
        } else if (isOption(word)) {
            const std::size_t equals = std::min(word.find('='), word.size());
            const bool takes_next = equals == word.size() && i + 1 < words.size()
                && !isOption(words[i + 1]) && !isLauncher(words[i + 1])
                && !words[i + 1].ends_with(".py");
            const std::string value = equals < word.size() ? word.substr(equals + 1)
                : takes_next                               ? words[++i]
                                                           : std::string("true");
            settings.all.push_back({plainName(word.substr(0, equals)), value});
        } else if (const auto one = assignmentFrom(word)) {
            settings.all.push_back(*one);
        }
    }
    return settings;
}

} // namespace tidemark::config
