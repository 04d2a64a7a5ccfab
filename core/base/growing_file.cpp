// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/growing_file.h"

namespace tidemark {

void GrowingFile::grow()
{
    {
        const std::scoped_lock lock(m_mutex);
        if (m_growth == kEnded) {
            return;
        }
        ++m_growth;
    }
    m_changed.notify_all();
}

void GrowingFile::end()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_growth = kEnded;
    }
    m_changed.notify_all();
}

std::uint64_t GrowingFile::growth() const
{
    const std::scoped_lock lock(m_mutex);
    return m_growth;
}

void GrowingFile::waitBeyond(std::uint64_t growth) const
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_growth != growth || m_growth == kEnded; });
}

} // namespace tidemark
