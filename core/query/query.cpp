// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/query.h"

#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/query/values.h"
#include "core/query/words.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tidemark::query {
namespace {

Error wrong(std::string message)
{
    return {ErrorCode::badArgument, std::move(message), {}};
}

/// Where a word has what compares its key with its values.
struct Operator {
    std::size_t at = 0;
    std::size_t length = 1;
    Comparison comparison = Comparison::equal;
    bool is_whole = false; ///< "=": a text is to be the whole one.
};

std::optional<Operator> findOperator(std::string_view word)
{
    const std::size_t at = word.find_first_of(":=<>@");
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const bool has_equal = at + 1 < word.size() && word[at + 1] == '=';
    switch (word[at]) {
    case '<':
        return Operator{at, has_equal ? 2U : 1U,
                        has_equal ? Comparison::less_equal : Comparison::less, false};
    case '>':
        return Operator{at, has_equal ? 2U : 1U,
                        has_equal ? Comparison::greater_equal : Comparison::greater, false};
    default:
        return Operator{at, 1, Comparison::equal, word[at] == '='};
    }
}

bool isName(std::string_view text)
{
    return !text.empty()
        && std::ranges::all_of(text, [](char c) { return isLetter(c) || c == '_'; });
}

/// The values between commas; texts keep theirs.
std::vector<std::string_view> alternatives(std::string_view values)
{
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= values.size();) {
        const std::size_t end = std::min(values.find(',', begin), values.size());
        if (end > begin) {
            parts.push_back(values.substr(begin, end - begin));
        }
        begin = end + 1;
    }
    return parts;
}

/// A value of a choice: its whole id, or the beginning of only one.
Result<Done> addChoice(Condition& condition, std::string_view value)
{
    const KeyInfo& info = infoOf(condition.key);
    const std::vector<std::string_view> ids = choicesOf(condition.key);
    const std::string wanted = lowered(value);
    // Roles begin behind Role::none.
    const std::size_t first = condition.key == Key::role ? 1 : 0;
    std::vector<std::size_t> found;
    std::string all;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        all.append(i == 0 ? "" : ", ").append(ids[i]);
        if (ids[i] == wanted) {
            condition.choices |= 1U << (i + first);
            return Done{};
        }
        if (ids[i].starts_with(wanted)) {
            found.push_back(i);
        }
    }
    if (found.size() != 1) {
        return wrong(say("“{}” is not a known {}; choose from {}.", value, info.name, all));
    }
    condition.choices |= 1U << (found.front() + first);
    return Done{};
}

Result<Done> addMoment(Condition& condition, std::string_view value)
{
    const std::vector<std::string_view> words = choicesOf(Key::live);
    const auto known = std::ranges::find(words, value);
    if (known != words.end()) {
        condition.moment = static_cast<LiveMoment>(known - words.begin());
        return Done{};
    }
    const char* const last = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), last, condition.event);
    if (value.empty() || parsed.ec != std::errc() || parsed.ptr != last) {
        return wrong(say("“{}” is not a moment; write live@peak, live@oom, live@start, live@end or "
                         "an event number, such as live@12345.",
                         condition.word));
    }
    condition.moment = LiveMoment::event;
    return Done{};
}

Result<Done> addRange(Condition& condition, const Result<Range>& range)
{
    if (!range.has_value()) {
        return range.error();
    }
    condition.ranges.push_back(range.value());
    return Done{};
}

Result<Done> addDuration(Condition& condition, std::string_view value, Comparison comparison)
{
    const auto events = readEvents(value, comparison);
    const bool is_mixed =
        !condition.ranges.empty() && condition.counts_events != events.has_value();
    if (is_mixed) {
        return wrong(say("“{}” mixes times and events; write two queries.", condition.word));
    }
    condition.counts_events = events.has_value();
    return addRange(condition, events ? *events : readDuration(value, comparison));
}

Result<Done> addValue(Condition& condition, std::string_view value, Comparison comparison)
{
    switch (infoOf(condition.key).kind) {
    case KeyKind::text:
        condition.texts.push_back(lowered(value));
        return Done{};
    case KeyKind::choice:
        return addChoice(condition, value);
    case KeyKind::bytes:
        return addRange(condition, readBytes(value, comparison));
    case KeyKind::duration:
        return addDuration(condition, value, comparison);
    case KeyKind::number:
        return addRange(condition, readNumber(value, comparison));
    case KeyKind::address: {
        const Result<Address> address = readAddress(value);
        if (!address.has_value()) {
            return address.error();
        }
        condition.addresses.push_back(address.value());
        return Done{};
    }
    case KeyKind::moment:
        return addMoment(condition, value);
    case KeyKind::nothing:
        break;
    }
    return wrong(
        say("“{}” takes no value; write {} alone.", condition.word, infoOf(condition.key).name));
}

bool isCompared(KeyKind kind)
{
    return kind == KeyKind::bytes || kind == KeyKind::duration || kind == KeyKind::number;
}

/// What stands behind the key of `condition`.
Result<Done> readValues(Condition& condition, std::string_view values, const Operator& sign)
{
    const KeyInfo& info = infoOf(condition.key);
    const std::vector<std::string_view> parts =
        info.kind == KeyKind::text ? std::vector{values} : alternatives(values);
    if (values.empty() || parts.empty()) {
        return wrong(say("“{}” needs a value for {}; write for example {}.", condition.word,
                         info.name, info.example));
    }
    if (sign.comparison != Comparison::equal && !isCompared(info.kind)) {
        return wrong(
            say("“{}” cannot be compared; write for example {}.", condition.word, info.example));
    }
    condition.is_whole = sign.is_whole;
    for (const std::string_view part : parts) {
        if (Result<Done> added = addValue(condition, part, sign.comparison); !added.has_value()) {
            return added;
        }
    }
    return Done{};
}

bool isFigure(std::string_view text)
{
    return !text.empty() && isDigit(text.front());
}

/// Whether a word that has an operator means a key by what stands before it: "model.py:41",
/// "at::empty" and "vector<float>" do not.
bool meansKey(std::string_view name, std::string_view value, char sign)
{
    if (!isName(name)) {
        return false;
    }
    if (findKey(lowered(name)) != nullptr) {
        return !(sign == ':' && value.starts_with(':'));
    }
    return sign == ':' ? !value.starts_with(':') : sign != '@' && isFigure(value);
}

Result<Condition> readCondition(const Word& word)
{
    Condition condition;
    condition.is_negated = word.is_negated;
    condition.word = word.text;
    const std::string_view text = word.text;
    const std::optional<Operator> sign = word.is_quoted ? std::nullopt : findOperator(text);
    if (!sign) {
        const KeyInfo* const info = word.is_quoted ? nullptr : findKey(lowered(text));
        if (info != nullptr && info->kind == KeyKind::nothing) {
            condition.key = info->key;
        } else {
            condition.texts.push_back(lowered(text));
        }
        return condition;
    }
    const std::string_view name = text.substr(0, sign->at);
    const std::string_view values = text.substr(sign->at + sign->length);
    const bool is_size = name.empty() && sign->comparison != Comparison::equal && isFigure(values);
    if (is_size) {
        condition.key = Key::size;
    } else if (!meansKey(name, values, text[sign->at])) {
        condition.texts.push_back(lowered(text));
        return condition;
    } else if (const KeyInfo* const info = findKey(lowered(name)); info != nullptr) {
        condition.key = info->key;
    } else {
        return wrong(
            say("“{}”: “{}” is not a key; choose from {}. Quote it to search for the word.", text,
                name, keyNames()));
    }
    const Result<Done> read = readValues(condition, values, *sign);
    return read.has_value() ? Result<Condition>(std::move(condition))
                            : Result<Condition>(read.error());
}

} // namespace

bool Query::asksForModules() const
{
    return std::ranges::any_of(conditions, [](const Condition& condition) {
        return condition.key == Key::module || condition.key == Key::text;
    });
}

Result<Query> parse(std::string_view text)
{
    const Result<std::vector<Word>> words = splitWords(text);
    if (!words.has_value()) {
        return words.error();
    }
    Query query;
    for (const Word& word : words.value()) {
        Result<Condition> condition = readCondition(word);
        if (!condition.has_value()) {
            Error error = condition.error();
            error.where = word.offset;
            return error;
        }
        query.conditions.push_back(std::move(condition).value());
    }
    return query;
}

} // namespace tidemark::query
