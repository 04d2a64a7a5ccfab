// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/peeked_source.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace tidemark::reader {

PeekedSource::PeekedSource(ByteSource& source)
    : m_source(&source)
{
}

Result<std::span<const std::byte>> PeekedSource::head()
{
    assert(m_head_read == 0);
    while (!m_is_peeked) {
        const Result<std::size_t> got = m_source->read(std::span(m_head).subspan(m_head_size));
        if (!got.has_value()) {
            m_error = got.error();
        } else {
            m_head_size += got.value();
            m_is_at_end = got.value() == 0;
        }
        m_is_peeked = m_error || m_is_at_end || m_head_size == m_head.size();
    }
    if (m_error && m_head_size == 0) {
        return *m_error;
    }
    return std::span<const std::byte>(m_head).first(m_head_size);
}

Result<std::size_t> PeekedSource::read(std::span<std::byte> target)
{
    if (m_head_read < m_head_size) {
        const std::size_t size = std::min(target.size(), m_head_size - m_head_read);
        std::memcpy(target.data(), m_head.data() + m_head_read, size);
        m_head_read += size;
        return size;
    }
    if (m_error) {
        return *m_error;
    }
    if (m_is_at_end) {
        return std::size_t{0};
    }
    return m_source->read(target);
}

std::optional<std::uint64_t> PeekedSource::size() const
{
    return m_source->size();
}

} // namespace tidemark::reader
