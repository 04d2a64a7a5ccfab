// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tidemark {

/// Stores each distinct text once. Texts keep their place, so views stay valid for the pool's
/// lifetime.
class StringPool {
public:
    StringPool() = default;
    StringPool(StringPool&&) = default;
    StringPool& operator=(StringPool&&) = default;
    StringPool(const StringPool&) = delete;
    StringPool& operator=(const StringPool&) = delete;
    ~StringPool() = default;

    /// O(length), amortised.
    StringId intern(std::string_view text);
    /// None when the text was never interned.
    [[nodiscard]] StringId find(std::string_view text) const;
    /// Empty for `StringId::none()`.
    [[nodiscard]] std::string_view text(StringId id) const;
    [[nodiscard]] std::size_t size() const
    {
        return m_texts.size();
    }

private:
    std::deque<std::string> m_texts;
    std::unordered_map<std::string_view, StringId> m_ids;
};

} // namespace tidemark
