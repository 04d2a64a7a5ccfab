// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/dump_watch.h"

#include <utility>

namespace tidemark::pipeline {
namespace fs = std::filesystem;

DumpWatch::DumpWatch(fs::path folder, bool takes_existing)
    : m_folder(std::move(folder))
    , m_arrivals(!takes_existing)
{
}

Result<std::vector<fs::path>> DumpWatch::look()
{
    const Result<DumpFiles> found = findDumps(m_folder);
    if (!found.has_value()) {
        return found.error();
    }
    std::vector<ListedFile> listed;
    for (const DumpFile& dump : found.value().files) {
        listed.push_back({dump.file.string(), dump.size, dump.time});
    }
    std::vector<fs::path> files;
    for (std::string& name : m_arrivals.take(listed)) {
        files.emplace_back(std::move(name));
    }
    return files;
}

} // namespace tidemark::pipeline
