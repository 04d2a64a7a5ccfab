// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/string_pool.h"
#include "core/reader/value_tree.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace tidemark::reader {

/// Texts of the file → ids of the pool. Finding a text takes O(length); a long one that the file
/// shares a million times is looked for once.
class TextIds {
public:
    explicit TextIds(StringPool& strings)
        : m_strings(strings)
    {
    }
    /// `text` is the whole text of `node`.
    StringId of(ValueTree::Node node, std::string_view text)
    {
        if (text.size() < kLong) {
            return m_strings.intern(text);
        }
        const auto [it, is_new] = m_long.try_emplace(node.word);
        if (is_new) {
            it->second = m_strings.intern(text);
        }
        return it->second;
    }

private:
    static constexpr std::size_t kLong = 256;

    StringPool& m_strings;
    std::unordered_map<std::uint64_t, StringId> m_long;
};

} // namespace tidemark::reader
