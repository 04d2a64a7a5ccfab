// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/ascii.h"
#include "core/config/setting_handlers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tidemark::config {

void ConfigBuilder::switchOn(std::string_view fix, const Setting& by)
{
    if (config.whatHasOn(fix).empty()) {
        config.on.push_back({std::string(fix), by.path + '=' + by.value});
    }
}

void ConfigBuilder::shard(int stage, const Setting& by)
{
    config.zero_stage = std::max(config.zero_stage.value_or(0), stage);
    for (int s = 1; s <= stage; ++s) {
        switchOn(fmt::format("zero-{}", s), by);
    }
}

std::optional<int> wholeNumber(std::string_view value)
{
    int number = 0;
    const char* const end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, number);
    const std::string_view left(rest, static_cast<std::size_t>(end - rest));
    if (error != std::errc() || number <= 0 || number > 1'000'000'000
        || (!left.empty() && left != ".0")) {
        return std::nullopt;
    }
    return number;
}

bool has(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

bool isTrue(std::string_view value)
{
    const std::string word = lowered(value);
    return word == "true" || word == "1" || word == "yes" || word == "on";
}

bool isFalse(std::string_view value)
{
    const std::string word = lowered(value);
    return word == "false" || word == "0" || word == "no" || word == "off";
}

} // namespace tidemark::config
