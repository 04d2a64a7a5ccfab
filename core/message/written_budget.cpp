// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/written_budget.h"

#include "core/message/log_window.h"
#include "core/message/printed_size.h"

#include <algorithm>
#include <array>
#include <string>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kLongestWritten = 200;
constexpr int kFewestParts = 3;

struct PartName {
    std::string_view squeezed; ///< That the line begins with.
    Bytes WrittenBudget::*part;
};
constexpr std::array<PartName, 10> kNames{{
    {"basemodel", &WrittenBudget::weights},
    {"modelweights", &WrittenBudget::weights},
    {"weights", &WrittenBudget::weights},
    {"parameters", &WrittenBudget::weights},
    {"modelparameters", &WrittenBudget::weights},
    {"modelparams", &WrittenBudget::weights},
    {"activation", &WrittenBudget::activations},
    {"gradients", &WrittenBudget::gradients},
    {"optimizer", &WrittenBudget::states},
    {"adamstate", &WrittenBudget::states},
}};

/// Without list marks, emphasis and spaces.
std::string wordsOf(std::string_view line)
{
    std::string words = squeezedText(line);
    std::erase_if(words, [](char c) { return c == '*' || c == '`' || c == '|'; });
    const auto begin = words.find_first_not_of("-+#>");
    return begin == std::string::npos ? std::string() : words.substr(begin);
}

} // namespace

std::optional<WrittenBudget> writtenBudget(std::string_view text)
{
    WrittenBudget budget;
    int parts = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        if (line.size() > kLongestWritten) {
            continue;
        }
        const std::string words = wordsOf(line);
        for (const PartName& name : kNames) {
            if (!words.starts_with(name.squeezed) || (budget.*name.part).value > 0) {
                continue;
            }
            const std::vector<PrintedSize> sizes = sizesIn(words, UnitReading::decimal);
            if (!sizes.empty() && sizes.front().bytes) {
                budget.*name.part = *sizes.front().bytes;
                ++parts;
                break;
            }
        }
    }
    return parts < kFewestParts ? std::nullopt : std::optional(budget);
}

} // namespace tidemark::diagnose
