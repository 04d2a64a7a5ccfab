// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/string_pool.h"

namespace tidemark {

StringId StringPool::intern(std::string_view text)
{
    const auto it = m_ids.find(text);
    if (it != m_ids.end()) {
        return it->second;
    }
    const StringId id(m_texts.size());
    m_texts.emplace_back(text);
    m_ids.emplace(m_texts.back(), id);
    return id;
}

StringId StringPool::find(std::string_view text) const
{
    const auto it = m_ids.find(text);
    return it == m_ids.end() ? StringId::none() : it->second;
}

std::string_view StringPool::text(StringId id) const
{
    return id.isNone() ? std::string_view() : std::string_view(m_texts[id.index()]);
}

} // namespace tidemark
