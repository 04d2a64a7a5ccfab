// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/other_fields.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

namespace tidemark::reader {

bool OtherFields::isBefore(const trace::OtherField& a, const trace::OtherField& b) const
{
    const auto rank = [](const trace::OtherField& f) {
        return std::tuple(f.place, f.device, f.item);
    };
    if (rank(a) != rank(b)) {
        return rank(a) < rank(b);
    }
    if (a.key != b.key) {
        return m_strings.text(a.key) < m_strings.text(b.key);
    }
    return a.value != b.value && m_strings.text(a.value) < m_strings.text(b.value);
}

void OtherFields::add(const trace::OtherField& field)
{
    if (m_first_dropped && !isBefore(field, *m_first_dropped)) {
        return;
    }
    m_fields.push_back(field);
    if (m_fields.size() > 2 * m_limit) {
        prune();
    }
}

void OtherFields::prune()
{
    const auto end = m_fields.begin() + static_cast<std::ptrdiff_t>(m_limit);
    std::ranges::nth_element(m_fields, end,
                             [this](const auto& a, const auto& b) { return isBefore(a, b); });
    m_first_dropped = *end;
    m_fields.erase(end, m_fields.end());
}

std::vector<trace::OtherField> OtherFields::take()
{
    if (m_fields.size() > m_limit) {
        prune();
    }
    std::ranges::sort(m_fields, [this](const auto& a, const auto& b) { return isBefore(a, b); });
    return std::exchange(m_fields, {});
}

} // namespace tidemark::reader
