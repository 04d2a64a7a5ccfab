// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tidemark {

/// What `text_of` says of each row, with the separator between: "bf16, pure-bf16".
template <class Rows, class TextOf = std::identity>
std::string joined(const Rows& rows, std::string_view separator, const TextOf& text_of = {})
{
    std::string all;
    for (const auto& row : rows) {
        all += all.empty() ? std::string_view() : separator;
        all += std::invoke(text_of, row);
    }
    return all;
}

} // namespace tidemark
