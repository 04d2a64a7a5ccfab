// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/dump_watch.h"

#include "core/base/language.h"

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
                     say("The folder cannot be read ({}); check its path and your permissions.",
                         error.message()),
                     {}};
    }
    std::vector<ListedFile> listed;
    for (const fs::directory_iterator end; entries != end; entries.increment(error)) {
        const fs::directory_entry& entry = *entries;
        // What vanishes between two calls, or cannot be looked at, is not there.
        if (!isDumpName(entry.path()) || !entry.is_regular_file(error) || error) {
            continue;
        }
        ListedFile file{entry.path().string(), entry.file_size(error)};
        if (error || file.size == 0) {
            continue;
        }
        file.time = entry.last_write_time(error).time_since_epoch().count();
        if (!error) {
            listed.push_back(std::move(file));
        }
    }
    std::vector<fs::path> files;
    for (std::string& name : m_arrivals.take(listed)) {
        files.emplace_back(std::move(name));
    }
    return files;
}

} // namespace tidemark::pipeline
