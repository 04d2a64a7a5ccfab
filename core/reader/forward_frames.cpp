// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/forward_frames.h"

#include <cstddef>
#include <string>
#include <utility>

namespace tidemark::reader {

StringId ForwardFrames::decode(ValueTree::Node list, Place place)
{
    const ValueTree::Value value = m_access.tree().value(list);
    if (value.kind != ValueTree::Kind::list) {
        if (value.kind != ValueTree::Kind::nothing) {
            m_access.noteWrong(place, Key::forward_frames);
        }
        return StringId::none();
    }
    const auto count = static_cast<std::size_t>(value.integer);
    if (count > 0) {
        m_access.oddities().forwardFrames();
    }
    if (const StringId* known = m_known.find(list)) {
        return *known;
    }
    m_access.spend(count);
    std::vector<StringId> lines;
    bool is_all_text = true;
    for (std::size_t i = 0; i < count; ++i) {
        const ValueTree::Node node = m_access.tree().item(list, i);
        const bool is_text = m_access.tree().value(node).kind == ValueTree::Kind::text;
        is_all_text = is_all_text && is_text;
        if (is_text) {
            lines.push_back(*m_access.textId(node, place, Key::forward_frames));
        }
    }
    const StringId id = join(lines);
    if (is_all_text) {
        m_known.put(list, count, id);
    } else {
        m_access.noteWrong(place, Key::forward_frames); // Not remembered: each use counts.
    }
    return id;
}

StringId ForwardFrames::join(const std::vector<StringId>& lines)
{
    const auto [it, is_new] = m_texts.try_emplace(lines);
    if (!is_new) {
        return it->second;
    }
    std::size_t size = 0;
    for (const StringId line : lines) {
        size += m_strings.text(line).size();
    }
    m_access.spend(size + lines.size() * sizeof(StringId));
    if (size == 0 || m_access.isOverspent()) {
        return StringId::none();
    }
    std::string text;
    text.reserve(size);
    for (const StringId line : lines) {
        text += m_strings.text(line);
    }
    return it->second = m_strings.intern(text);
}

} // namespace tidemark::reader
