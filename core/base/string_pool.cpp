// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/string_pool.h"

namespace tidemark {

StringId StringPool::intern(std::string_view text)
{
    const auto [number, fresh] =
        m_index.findOrAdd(m_hash.bytes(text), m_texts.size(),
                          [&](std::uint32_t other) { return m_texts[other] == text; });
    if (fresh) {
        const std::span<const char> kept = m_store.add(text);
        m_texts.emplace_back(kept.data(), kept.size());
    }
    return StringId(number);
}

StringId StringPool::find(std::string_view text) const
{
    return StringId(m_index.find(m_hash.bytes(text),
                                 [&](std::uint32_t other) { return m_texts[other] == text; }));
}

} // namespace tidemark
