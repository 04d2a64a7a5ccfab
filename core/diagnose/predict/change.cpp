// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/change.h"

#include "core/base/ascii.h"
#include "core/base/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace tidemark::diagnose {
namespace {

enum class ValueForm : std::uint8_t { ratio, count, word, word_or_count };

struct KindText {
    ChangeKind kind;
    std::string_view name;
    ValueForm form;
    double largest; ///< Of a count.
    std::string_view words; ///< Allowed words, '|' between them.
};

constexpr double kLargestRatio = 1024;

constexpr std::array<KindText, 17> kKinds{{
    {ChangeKind::micro_batch, "micro-batch", ValueForm::ratio, 0, ""},
    {ChangeKind::accumulation, "accumulation", ValueForm::count, 65536, ""},
    {ChangeKind::sequence, "sequence", ValueForm::ratio, 0, ""},
    {ChangeKind::checkpointing, "checkpointing", ValueForm::word, 0, "full|selective|attention"},
    {ChangeKind::precision, "precision", ValueForm::word, 0, "bf16|pure-bf16"},
    {ChangeKind::optimizer, "optimizer", ValueForm::word, 0,
     "sgd|sgd-momentum|lion|adamw8bit|paged-adamw8bit|adafactor|muon"},
    {ChangeKind::foreach, "foreach", ValueForm::word, 0, "off"},
    {ChangeKind::fused, "fused", ValueForm::word, 0, "on"},
    {ChangeKind::set_to_none, "set-to-none", ValueForm::word, 0, "on"},
    {ChangeKind::attention, "attention", ValueForm::word, 0, "flash"},
    {ChangeKind::fused_loss, "fused-loss", ValueForm::word_or_count, 65536, "on|remade"},
    {ChangeKind::zero, "zero", ValueForm::count, 3, ""},
    {ChangeKind::gpus, "gpus", ValueForm::count, 1048576, ""},
    {ChangeKind::offload, "offload", ValueForm::word, 0, "optimizer|parameters|activations"},
    {ChangeKind::lora, "lora", ValueForm::count, 65536, ""},
    {ChangeKind::qlora, "qlora", ValueForm::count, 65536, ""},
    {ChangeKind::eval_accumulation, "eval-accumulation", ValueForm::count, 1048576, ""},
}};

Error badChange(std::string message)
{
    return {ErrorCode::badArgument, std::move(message)};
}

std::string spelledOut(std::string_view words)
{
    std::string text(words);
    for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|')) {
        text.replace(at, 1, ", ");
    }
    return text;
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

/// A whole number from 1 to the largest.
std::optional<double> countFrom(const KindText& kind, std::string_view text)
{
    const auto count = plainNumber(text);
    const bool is_count =
        count && *count >= 1 && *count <= kind.largest && *count == std::floor(*count);
    return is_count ? count : std::nullopt;
}

bool isWordOf(const KindText& kind, std::string_view text)
{
    std::string_view rest = kind.words;
    while (!rest.empty()) {
        const std::size_t bar = std::min(rest.find('|'), rest.size());
        if (rest.substr(0, bar) == text) {
            return true;
        }
        rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
    return false;
}

Result<Change> parseWord(const KindText& kind, std::string_view value)
{
    if (isWordOf(kind, value)) {
        return Change{kind.kind, 0, std::string(value)};
    }
    const std::size_t dash = value.rfind('-');
    if (kind.form == ValueForm::word_or_count && dash != std::string_view::npos) {
        const auto count = countFrom(kind, value.substr(dash + 1));
        if (count && isWordOf(kind, value.substr(0, dash))) {
            return Change{kind.kind, *count, std::string(value.substr(0, dash))};
        }
    }
    return badChange(
        say("“{}” has no value “{}”; allowed: {}.", kind.name, value, spelledOut(kind.words)));
}

Result<Change> parseValue(const KindText& kind, std::string_view value)
{
    const bool is_number = kind.form == ValueForm::word_or_count && plainNumber(value);
    if (!kind.words.empty() && !is_number) {
        return parseWord(kind, value);
    }
    if (kind.form == ValueForm::ratio) {
        const auto ratio = ratioFrom(value);
        if (!ratio || *ratio <= 0 || *ratio > kLargestRatio) {
            return badChange(
                say("“{}” takes a ratio to the recorded run above 0, such as 0.5 or 1/2, not “{}”.",
                    kind.name, value));
        }
        return Change{kind.kind, *ratio, {}};
    }
    const auto count = countFrom(kind, value);
    if (!count) {
        return badChange(say("“{}” takes an integer from 1 to {:.0f}, not “{}”.", kind.name,
                             kind.largest, value));
    }
    return Change{kind.kind, *count, {}};
}

Result<Change> parseOne(std::string_view part)
{
    const std::size_t equals = part.find('=');
    const std::string_view name = trimmed(part.substr(0, std::min(equals, part.size())));
    const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](const KindText& k) { return k.name == name; });
    if (kind == kKinds.end()) {
        std::string all;
        for (const KindText& k : kKinds) {
            all += all.empty() ? "" : ", ";
            all += k.name;
        }
        return badChange(say("There is no change named “{}”; allowed: {}.", name, all));
    }
    if (equals == std::string_view::npos) {
        return badChange(
            say("“{}” needs a value, as in {}.", name,
                !kind->words.empty()
                    ? fmt::format("{}={}", name, kind->words.substr(0, kind->words.find('|')))
                    : fmt::format("{}={}", name, kind->form == ValueForm::ratio ? "0.5" : "2")));
    }
    return parseValue(*kind, trimmed(part.substr(equals + 1)));
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
        if (!part.empty()) {
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
    const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](const KindText& k) { return k.kind == change.kind; });
    if (!change.word.empty() && change.number > 0) {
        return fmt::format("{}={}-{:.6g}", kind->name, change.word, change.number);
    }
    if (!change.word.empty()) {
        return fmt::format("{}={}", kind->name, change.word);
    }
    return fmt::format("{}={:.6g}", kind->name, change.number);
}

} // namespace tidemark::diagnose
