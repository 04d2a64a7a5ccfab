// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/chunk_store.h"
#include "core/base/id.h"
#include "core/base/id_index.h"
#include "core/base/keyed_hash.h"

#include <string_view>
#include <vector>

namespace tidemark {

/// Stores each distinct text once; ids count up in the order of first appearance. Texts keep their
/// place, so views stay valid for the pool's lifetime and when the pool is moved, which is O(1).
class StringPool {
public:
    StringPool() = default;
    StringPool(StringPool&&) = default;
    StringPool& operator=(StringPool&&) = default;
    StringPool(const StringPool&) = delete;
    StringPool& operator=(const StringPool&) = delete;
    ~StringPool() = default;

    /// O(length), amortised; texts are never copied to grow.
    StringId intern(std::string_view text);
    /// None when the text was never interned.
    [[nodiscard]] StringId find(std::string_view text) const;
    /// Empty for `StringId::none()`.
    [[nodiscard]] std::string_view text(StringId id) const
    {
        return id.isNone() ? std::string_view() : m_texts[id.index()];
    }
    [[nodiscard]] std::size_t size() const
    {
        return m_texts.size();
    }

private:
    KeyedHash m_hash;
    ChunkStore<char> m_store;
    std::vector<std::string_view> m_texts;
    IdIndex m_index;
};

} // namespace tidemark
