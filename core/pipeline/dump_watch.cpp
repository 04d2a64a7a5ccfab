// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/dump_watch.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

namespace tidemark::pipeline {
namespace fs = std::filesystem;

bool isDumpName(const fs::path& file)
{
    static constexpr std::array<std::string_view, 13> kEndings{
        ".pickle", ".pkl", ".json", ".html", ".gz",  ".xz",  ".zst",
        ".bz2",    ".lz4", ".zip",  ".tar",  ".tgz", ".tzst"};
    const std::string name = file.filename().string();
    return !name.starts_with('.') && !name.ends_with(".tidemark-rules.json")
        && std::ranges::any_of(kEndings,
                               [&](std::string_view ending) { return name.ends_with(ending); });
}

DumpWatch::DumpWatch(fs::path folder)
    : m_folder(std::move(folder))
{
}

Result<std::vector<fs::path>> DumpWatch::look()
{
    std::error_code error;
    fs::directory_iterator entries(m_folder, error);
    if (error) {
        return Error{ErrorCode::cannotOpen,
                     "The folder cannot be read (" + error.message()
                         + "); check its path and your permissions.",
                     {}};
    }
    std::map<fs::path, Seen> seen;
    std::vector<std::pair<fs::file_time_type, fs::path>> complete;
    for (const fs::directory_iterator end; entries != end; entries.increment(error)) {
        const fs::directory_entry& entry = *entries;
        // What vanishes between two calls, or cannot be looked at, is not there.
        if (!isDumpName(entry.path()) || !entry.is_regular_file(error) || error) {
            continue;
        }
        Stamp stamp;
        stamp.size = entry.file_size(error);
        if (error || stamp.size == 0) {
            continue;
        }
        stamp.time = entry.last_write_time(error);
        if (error) {
            continue;
        }
        const auto before = m_seen.find(entry.path());
        const bool is_same = before != m_seen.end() && before->second.stamp == stamp;
        Seen now{stamp, m_is_first || (is_same && before->second.is_reported)};
        if (is_same && !now.is_reported) {
            complete.emplace_back(stamp.time, entry.path());
            now.is_reported = true;
        }
        seen.emplace(entry.path(), now);
    }
    m_seen = std::move(seen);
    m_is_first = false;
    std::ranges::sort(complete);
    std::vector<fs::path> files;
    for (auto& [time, file] : complete) {
        files.push_back(std::move(file));
    }
    return files;
}

} // namespace tidemark::pipeline
