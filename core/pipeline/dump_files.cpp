// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/dump_files.h"

#include "core/base/language.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace tidemark::pipeline {
namespace fs = std::filesystem;

namespace {

struct OpenFolder {
    fs::path path;
    int depth = 0;
};

/// None: it vanished between two calls, cannot be looked at or is empty.
std::optional<DumpFile> dumpFile(const fs::directory_entry& entry)
{
    std::error_code error;
    if (!isDumpName(entry.path()) || !entry.is_regular_file(error) || error) {
        return std::nullopt;
    }
    DumpFile file{entry.path(), entry.file_size(error), 0};
    if (error || file.size == 0) {
        return std::nullopt;
    }
    file.time = entry.last_write_time(error).time_since_epoch().count();
    return error ? std::nullopt : std::optional(file);
}

} // namespace

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

Result<DumpFiles> findDumps(const fs::path& folder, const std::stop_token& stop)
{
    DumpFiles found;
    std::size_t entries_seen = 0;
    std::deque<OpenFolder> folders{{folder, 0}};
    for (; !folders.empty() && entries_seen < kMostEntries; folders.pop_front()) {
        const OpenFolder here = folders.front();
        std::error_code error;
        fs::directory_iterator entries(here.path, error);
        if (error && here.depth == 0) {
            return Error{ErrorCode::cannotOpen,
                         say("The folder cannot be read ({}); check its path and your permissions.",
                             error.message()),
                         {}};
        }
        found.unreadable += error ? 1U : 0U;
        for (const fs::directory_iterator end; !error && entries != end; entries.increment(error)) {
            if (stop.stop_requested()) {
                return Error{ErrorCode::cancelled, say("Cancelled."), {}};
            }
            if (++entries_seen > kMostEntries) {
                break;
            }
            const fs::directory_entry& entry = *entries;
            std::error_code unseen;
            if (entry.path().filename().string().starts_with('.') || entry.is_symlink(unseen)) {
                continue;
            }
            if (entry.is_directory(unseen)) {
                if (here.depth < kDeepestFolder) {
                    folders.push_back({entry.path(), here.depth + 1});
                } else {
                    found.is_cut = true;
                }
            } else if (std::optional<DumpFile> file = dumpFile(entry)) {
                found.files.push_back(std::move(*file));
            }
        }
    }
    found.is_cut = found.is_cut || entries_seen > kMostEntries || !folders.empty();
    std::ranges::sort(found.files, {}, &DumpFile::file);
    return found;
}

} // namespace tidemark::pipeline
