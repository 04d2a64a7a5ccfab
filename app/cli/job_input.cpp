// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/job_input.h"

#include "app/cli/remote_input.h"
#include "app/cli/status_line.h"
#include "core/base/file_head.h"
#include "core/job/manifest.h"
#include "core/remote/address.h"

#include <algorithm>
#include <filesystem>

namespace tidemark::cli {
namespace {

bool isManifest(const std::filesystem::path& file)
{
    constexpr std::size_t kBeginning = 4096;
    return job::looksLikeManifest(fileHead(file, kBeginning));
}

} // namespace

bool namesJob(const std::vector<std::string>& names)
{
    return names.size() > 2 || std::ranges::any_of(names, [](const std::string& name) {
               std::error_code error;
               return std::filesystem::is_directory(name, error) || isManifest(name);
           });
}

bool isFarJob(const std::vector<std::string>& names)
{
    return names.size() == 1 && remote::farAddress(names.front())
        && namedInputs(names.front()).size() > 1;
}

Result<job::Job> readNamedJob(const std::vector<std::string>& names,
                              const job::ReadOptions& options)
{
    const Result<job::Gathered> gathered = gatherInputs(names);
    if (!gathered.has_value()) {
        return gathered.error();
    }
    StageLine line;
    return job::readJob(gathered.value(), options, line, {});
}

} // namespace tidemark::cli
