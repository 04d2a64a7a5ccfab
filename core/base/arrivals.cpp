// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/arrivals.h"

#include <algorithm>
#include <utility>

namespace tidemark {

std::vector<std::string> Arrivals::take(const std::vector<ListedFile>& files)
{
    std::map<std::string, Seen> seen;
    std::vector<std::pair<std::int64_t, std::string>> complete;
    for (const ListedFile& file : files) {
        const auto before = m_seen.find(file.name);
        const bool is_same = before != m_seen.end() && before->second.size == file.size
            && before->second.time == file.time;
        Seen now{file.size, file.time, m_knows || (is_same && before->second.is_reported)};
        if (is_same && !now.is_reported) {
            complete.emplace_back(file.time, file.name);
            now.is_reported = true;
        }
        seen.emplace(file.name, now);
    }
    m_seen = std::move(seen);
    m_knows = false;
    std::ranges::sort(complete);
    std::vector<std::string> names;
    for (auto& [time, name] : complete) {
        names.push_back(std::move(name));
    }
    return names;
}

} // namespace tidemark
