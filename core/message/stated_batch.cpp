// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/stated_batch.h"

#include "core/base/ascii.h"

#include <algorithm>
#include <array>

namespace tidemark::diagnose {

bool hasOneSample(std::string_view words)
{
    static constexpr std::array<std::string_view, 4> kNames{"batch_size", "batchsize", "batch-size",
                                                            "batchof"};
    static constexpr std::array<std::string_view, 9> kBetween{"\"", "'",       "`",  "=", ":",
                                                              "is", "already", "of", "to"};
    bool has_one = false;
    for (const std::string_view name : kNames) {
        for (std::size_t at = words.find(name); at != std::string_view::npos;
             at = words.find(name, at + 1)) {
            std::string_view before = words.substr(0, at);
            if (before.ends_with('_') || before.ends_with('-')) {
                before.remove_suffix(1);
            }
            if (before.ends_with("val") || before.ends_with("valid")
                || before.ends_with("validation") || before.ends_with("test")) {
                continue;
            }
            std::string_view rest = words.substr(at + name.size());
            for (bool goes_on = true; goes_on;) {
                goes_on = false;
                for (const std::string_view word : kBetween) {
                    if (rest.starts_with(word)) {
                        rest.remove_prefix(word.size());
                        goes_on = true;
                    }
                }
            }
            if (rest.empty() || !isDigit(rest[0])) {
                continue;
            }
            if (rest[0] != '1' || (rest.size() > 1 && isDigit(rest[1]))
                || (rest.size() > 2 && (rest[1] == '.' || rest[1] == ',') && isDigit(rest[2]))) {
                return false;
            }
            has_one = true;
        }
    }
    return has_one;
}

} // namespace tidemark::diagnose
