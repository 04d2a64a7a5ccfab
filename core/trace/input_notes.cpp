// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/trace/input_notes.h"

#include <algorithm>

namespace tidemark::trace {

void InputNotes::add(std::string_view code, std::string_view text, std::int64_t count)
{
    const auto it = std::ranges::find(m_notes, code, &InputNote::code);
    if (it != m_notes.end()) {
        it->count += count;
        return;
    }
    m_notes.push_back({std::string(code), count, std::string(text)});
}

void InputNotes::merge(const InputNotes& other)
{
    for (const InputNote& n : other.m_notes) {
        add(n.code, n.text, n.count);
    }
}

const InputNote* InputNotes::find(std::string_view code) const
{
    const auto it = std::ranges::find(m_notes, code, &InputNote::code);
    return it == m_notes.end() ? nullptr : &*it;
}

} // namespace tidemark::trace
