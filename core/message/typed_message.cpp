// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/typed_message.h"

#include "core/base/ascii.h"
#include "core/message/message_reader.h"
#include "core/message/printed_size.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace tidemark::diagnose {
namespace {

// What stands before a figure, squeezed.
constexpr auto kTypedBefore = std::to_array<Wording>({
    {"triedtoalloc", &OomMessage::tried, "tried"},
    {"allocating", &OomMessage::tried, "tried"},
    {"askedfor", &OomMessage::tried, "tried"},
    {"requesting", &OomMessage::tried, "tried"},
    {"used", &OomMessage::in_use, "in_use"},
    {"leftof", &OomMessage::total, "total"},
    {"outof", &OomMessage::total, "total"},
});

// What stands behind it.
constexpr auto kTypedBehind = std::to_array<Wording>({
    {"left", &OomMessage::free, "free"},
    {"remaining", &OomMessage::free, "free"},
    {"more", &OomMessage::tried, "tried"},
    {"used", &OomMessage::in_use, "in_use"},
    {"card", &OomMessage::total, "total"},
    {"gpu", &OomMessage::total, "total"},
    {"ofvram", &OomMessage::total, "total"},
    {"vram", &OomMessage::total, "total"},
});
constexpr Wording kUsedOfPair{"", &OomMessage::in_use, "in_use"};
constexpr Wording kTotalOfPair{"", &OomMessage::total, "total"};

/// The word before a place.
std::string_view wordBefore(std::string_view small, std::size_t place)
{
    std::size_t end = place;
    while (end > 0 && !isLetter(small[end - 1])) {
        --end;
    }
    std::size_t begin = end;
    while (begin > 0 && isLetter(small[begin - 1])) {
        --begin;
    }
    return small.substr(begin, end - begin);
}

/// Not "room", nor "to avoid OOM".
bool saysOutOfMemory(std::string_view small)
{
    for (const std::string_view words : {"out of memory", "oom"}) {
        for (std::size_t at = small.find(words); at != std::string_view::npos;
             at = small.find(words, at + 1)) {
            const std::size_t end = at + words.size();
            const bool is_word = (at == 0 || !isLetter(small[at - 1]))
                && (end == small.size() || !isLetter(small[end]));
            const std::string_view before = wordBefore(small, at);
            if (is_word && !isDeniedAt(small, at)
                && std::ranges::none_of(std::array<std::string_view, 7>{"no", "not", "without",
                                                                        "avoid", "avoids",
                                                                        "prevent", "prevents"},
                                        [&](std::string_view word) { return before == word; })) {
                return true;
            }
        }
    }
    return false;
}

/// Hosts run out of memory, too.
bool speaksOfGpu(std::string_view small)
{
    return std::ranges::any_of(
        std::array<std::string_view, 14>{"gpu", "cuda", "vram", "torch", "nvidia", "rtx", "3090",
                                         "4090", "a100", "h100", "h200", "b200", "backward",
                                         "batch size"},
        [&](std::string_view word) { return small.find(word) != std::string_view::npos; });
}

const Wording* wordingOf(std::string_view squeezed, const PrintedSize& size)
{
    const std::string_view before = squeezed.substr(0, size.begin);
    const std::string_view behind = squeezed.substr(size.end);
    for (const Wording& wording : kTypedBefore) {
        if (before.ends_with(wording.words)) {
            return &wording;
        }
    }
    for (const Wording& wording : kTypedBehind) {
        if (behind.starts_with(wording.words)) {
            return &wording;
        }
    }
    // "A100 (80GB)", "71.3 GiB / 79.2 GiB".
    const bool is_cards = before.ends_with("(") && behind.starts_with(")");
    const bool is_second = before.ends_with("/");
    const bool is_first = behind.starts_with("/") && sizeAt(behind, 1);
    return is_cards || is_second ? &kTotalOfPair : is_first ? &kUsedOfPair : nullptr;
}

} // namespace

std::optional<OomMessage> readTypedMessage(std::string_view text)
{
    const std::string small = lowered(text);
    if (!saysOutOfMemory(small) || !speaksOfGpu(small)) {
        return std::nullopt;
    }
    const std::string squeezed = squeezedText(text);
    OomMessage message = readFigures(squeezed);
    for (const PrintedSize& size : sizesIn(squeezed)) {
        const Wording* const wording = wordingOf(squeezed, size);
        if (wording == nullptr || !size.bytes || message.*(wording->field)) {
            continue;
        }
        message.*(wording->field) = size.bytes;
        PrintedFigure figure{std::string(wording->name), *size.bytes, size.low, size.high};
        if (const auto decimal = sizeAt(squeezed, size.begin, UnitReading::decimal)) {
            figure.low = std::min(figure.low, decimal->low); // who types "GB" may mean either
        }
        message.printed.push_back(std::move(figure));
    }
    return message.printed.empty() ? bareMessage("") : message;
}

} // namespace tidemark::diagnose
