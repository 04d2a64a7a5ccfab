// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/translated.h"

#include "core/message/log_window.h"
#include "core/message/printed_size.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::diagnose {
namespace {

void replaceAll(std::string& text, std::string_view from, std::string_view to)
{
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

/// Squeezed, with wide punctuation and French units as PyTorch writes them.
std::string plainText(std::string_view raw)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kWide{
        {{"\xEF\xBC\x88", "("},
         {"\xEF\xBC\x89", ")"},
         {"\xEF\xBC\x9B", ";"},
         {"\xEF\xBC\x8C", ","},
         {"\xEF\xBC\x9A", ":"}}};
    std::string text(raw);
    for (const auto& [wide, plain] : kWide) {
        replaceAll(text, wide, plain);
    }
    text = squeezedText(text);
    for (const char digit : std::string_view("0123456789")) {
        for (const std::string_view unit : {"k", "m", "g", "t"}) {
            replaceAll(text, std::string(1, digit) + std::string(unit) + "io",
                       std::string(1, digit) + std::string(unit) + "ib");
        }
        replaceAll(text, std::string(1, digit) + "octets", std::string(1, digit) + "bytes");
    }
    return text;
}

/// "(gpu0;2.00gib…;1.34gib…)": the sizes, one in each part; empty where a part has none or several.
std::vector<PrintedSize> sizesInBrackets(std::string_view text)
{
    std::vector<PrintedSize> sizes;
    const std::size_t end = std::min(text.find(')'), text.size());
    std::size_t at = text.find(';');
    while (at < end) {
        const std::size_t next = std::min(text.find(';', at + 1), end);
        const std::vector<PrintedSize> here = sizesIn(text.substr(at + 1, next - at - 1));
        if (here.size() != 1 || !here.front().bytes) {
            return {};
        }
        sizes.push_back(here.front());
        at = next;
    }
    return sizes;
}

} // namespace

std::optional<OomMessage> readTranslatedMessage(std::string_view log, std::size_t place)
{
    static constexpr std::size_t kLongest = 700;
    static constexpr std::size_t kFewest = 3; // figures
    struct Field {
        std::string_view name;
        std::optional<Bytes> OomMessage::*field;
    };
    static constexpr std::array<Field, 4> kOrder{{{"total", &OomMessage::total},
                                                  {"allocated", &OomMessage::allocated},
                                                  {"free", &OomMessage::free},
                                                  {"reserved", &OomMessage::reserved}}};
    const std::string_view line = lineAt(log, place == 0 ? 0 : place - 1, kLongest);
    const auto line_begin = static_cast<std::size_t>(line.data() - log.data());
    const std::string before = plainText(log.substr(line_begin, place - line_begin));
    const std::string after = plainText(log.substr(place, kLongest));
    const std::size_t open = before.rfind("(gpu");
    OomMessage message;
    message.gpu = numberAfter("gpu" + after, "gpu");
    const bool is_bracket = open != std::string::npos && open + 4 == before.size() && message.gpu
        && after.find_first_not_of("0123456789") == after.find(';');
    const std::vector<PrintedSize> sizes =
        is_bracket ? sizesInBrackets(after) : std::vector<PrintedSize>();
    if (sizes.size() < kFewest || sizes.size() > kOrder.size()) {
        return std::nullopt;
    }
    const auto keep = [&](const Field& field, const PrintedSize& size) {
        message.*field.field = size.bytes;
        message.printed.push_back({std::string(field.name), *size.bytes, size.low, size.high});
    };
    const std::vector<PrintedSize> earlier = sizesIn(std::string_view(before).substr(0, open));
    if (!earlier.empty() && earlier.back().bytes) {
        keep({"tried", &OomMessage::tried}, earlier.back());
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        keep(kOrder[i], sizes[i]);
    }
    const bool is_in_order = *message.free <= *message.total
        && (!message.reserved || *message.allocated <= *message.reserved);
    message.backend = before.find("hip") == std::string::npos ? "CUDA" : "HIP";
    return is_in_order ? std::optional(std::move(message)) : std::nullopt;
}

} // namespace tidemark::diagnose
