// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/node_cache.h"
#include "core/reader/value_tree.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace tidemark::reader {

/// Remembers what was found for a list: a short one for a while, a long one for good, so that none
/// is gone through again and again. O(1); memory is far below that of the lists themselves.
template <class T>
class ListCache {
public:
    /// Null when the list is not (any more) remembered.
    [[nodiscard]] const T* find(ValueTree::Node list) const
    {
        if (const T* known = m_short.find(list)) {
            return known;
        }
        if (m_long.empty()) {
            return nullptr;
        }
        const auto it = m_long.find(list.word);
        return it == m_long.end() ? nullptr : &it->second;
    }
    void put(ValueTree::Node list, std::size_t size, const T& value)
    {
        if (size < kLong) {
            m_short.put(list, value);
        } else {
            m_long.insert_or_assign(list.word, value);
        }
    }

private:
    static constexpr std::size_t kLong = 512;

    NodeCache<T> m_short{12};
    std::unordered_map<std::uint64_t, T> m_long;
};

} // namespace tidemark::reader
