// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/change.h"

#include "core/base/ascii.h"
#include "core/base/joined.h"
#include "core/base/language.h"
#include "core/diagnose/predict/change_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace tidemark::diagnose {
namespace {

Error badChange(std::string message)
{
    return {ErrorCode::badArgument, std::move(message)};
}

std::optional<double> plainNumber(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

/// "0.5" or "1/2".
std::optional<double> ratioFrom(std::string_view text)
{
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
        return plainNumber(text);
    }
    const auto above = plainNumber(text.substr(0, slash));
    const auto below = plainNumber(text.substr(slash + 1));
    if (!above || !below || *below <= 0) {
        return std::nullopt;
    }
    return *above / *below;
}

/// A module's last name, or its path.
bool isLayerName(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return isLetter(c) || isDigit(c) || c == '_' || c == '.' || c == '-';
    });
}

/// A whole number from 1 to the largest.
std::optional<double> countFrom(const ChangeWord& word, std::string_view text)
{
    const auto count = plainNumber(text);
    const bool is_count =
        count && *count >= 1 && *count <= word.largest && *count == std::floor(*count);
    return is_count ? count : std::nullopt;
}

const ChangeValue* valueFrom(const ChangeWord& word, std::string_view text)
{
    const auto found = std::ranges::find_if(word.values, [text](const ChangeValue& value) {
        return value.word == text || (!value.old_word.empty() && value.old_word == text);
    });
    return found == word.values.end() ? nullptr : &*found;
}

Result<Change> parseWord(const ChangeWord& word, std::string_view text)
{
    if (const ChangeValue* const value = valueFrom(word, text)) {
        return Change{word.kind, 0, std::string(value->word)};
    }
    const std::size_t dash = text.rfind('-');
    if (word.form == ValueForm::word_or_count && dash != std::string_view::npos) {
        const auto count = countFrom(word, text.substr(dash + 1));
        const ChangeValue* const value = valueFrom(word, text.substr(0, dash));
        if (count && value != nullptr) {
            return Change{word.kind, *count, std::string(value->word)};
        }
    }
    return badChange(say("“{}” has no value “{}”; allowed: {}.", word.id, text,
                         joined(word.values, ", ", &ChangeValue::word)));
}

Result<Change> parseValue(const ChangeWord& word, std::string_view text)
{
    const bool is_number = word.form == ValueForm::word_or_count && plainNumber(text);
    if (word.form == ValueForm::word || (word.form == ValueForm::word_or_count && !is_number)) {
        return parseWord(word, text);
    }
    if (word.form == ValueForm::ratio) {
        const auto ratio = ratioFrom(text);
        if (!ratio || *ratio <= 0 || *ratio > word.largest) {
            return badChange(
                say("“{}” takes a ratio to the recorded run above 0, such as 0.5 or 1/2, not “{}”.",
                    word.id, text));
        }
        return Change{word.kind, *ratio, {}};
    }
    const std::size_t colon = word.takes_layers ? text.find(':') : std::string_view::npos;
    const auto count = countFrom(word, trimmed(text.substr(0, std::min(colon, text.size()))));
    if (!count) {
        return badChange(
            say("“{}” takes an integer from 1 to {:.0f}, not “{}”.", word.id, word.largest, text));
    }
    Change change{word.kind, *count, {}};
    if (colon != std::string_view::npos) {
        const std::string_view layer = trimmed(text.substr(colon + 1));
        if (!isLayerName(layer)) {
            return badChange(say("“{}” needs names of layers behind the colon, as in {}.", word.id,
                                 fmt::format("{}=16:q_proj,v_proj", word.id)));
        }
        change.layers.emplace_back(layer);
    }
    return change;
}

Result<Change> parseOne(std::string_view part)
{
    const std::size_t equals = part.find('=');
    const std::string_view id = trimmed(part.substr(0, std::min(equals, part.size())));
    const auto word = std::ranges::find(changeWords(), id, &ChangeWord::id);
    if (word == changeWords().end()) {
        return badChange(say("There is no change named “{}”; allowed: {}.", id,
                             joined(changeWords(), ", ", &ChangeWord::id)));
    }
    if (equals == std::string_view::npos) {
        const std::string_view value = word->form == ValueForm::ratio ? "0.5"
            : word->form == ValueForm::count                          ? "2"
                                                                      : word->values.front().word;
        return badChange(say("“{}” needs a value, as in {}.", id, fmt::format("{}={}", id, value)));
    }
    return parseValue(*word, trimmed(part.substr(equals + 1)));
}

} // namespace

int Change::count() const
{
    return static_cast<int>(std::lround(number));
}

Result<std::vector<Change>> parseChanges(std::string_view text)
{
    std::vector<Change> changes;
    std::string_view rest = text;
    while (true) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view part = trimmed(rest.substr(0, comma));
        if (!changes.empty() && !changes.back().layers.empty() && isLayerName(part)
            && std::ranges::find(changeWords(), part, &ChangeWord::id) == changeWords().end()) {
            changes.back().layers.emplace_back(part);
        } else if (!part.empty()) {
            auto change = parseOne(part);
            if (!change.has_value()) {
                return change.error();
            }
            changes.push_back(std::move(change).value());
        }
        if (comma == rest.size()) {
            break;
        }
        rest.remove_prefix(comma + 1);
    }
    if (changes.empty()) {
        return badChange(say("No change was named; give one such as micro-batch=0.5."));
    }
    return changes;
}

std::string changeText(const Change& change)
{
    const std::string_view id = changeWord(change.kind).id;
    if (!change.word.empty() && change.number > 0) {
        return fmt::format("{}={}-{:.6g}", id, change.word, change.number);
    }
    if (!change.word.empty()) {
        return fmt::format("{}={}", id, change.word);
    }
    return fmt::format("{}={:.6g}{}{}", id, change.number, change.layers.empty() ? "" : ":",
                       joined(change.layers, ","));
}

std::string changesText(const std::vector<Change>& changes)
{
    return joined(changes, ",", changeText);
}

} // namespace tidemark::diagnose
