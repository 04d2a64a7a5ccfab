// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_data.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace tidemark::test {

namespace {

std::vector<std::filesystem::path> snapshotsIn(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const auto extension = entry.path().extension();
        if (entry.is_regular_file(error) && (extension == ".pickle" || extension == ".pkl"))
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

} // namespace

std::filesystem::path dataDir()
{
    const char* fromEnvironment = std::getenv("TIDEMARK_DATA_DIR");
    return fromEnvironment != nullptr && *fromEnvironment != '\0' ? fromEnvironment
                                                                  : TIDEMARK_DATA_DIR;
}

bool hasData()
{
    std::error_code error;
    return std::filesystem::is_directory(dataDir() / "snapshots", error);
}

bool requiresData()
{
    const char* value = std::getenv("TIDEMARK_REQUIRE_DATA");
    return value != nullptr && std::string_view(value) == "1";
}

std::vector<std::filesystem::path> snapshotFiles()
{
    auto files = modelledFiles();
    std::ranges::copy(realFiles(), std::back_inserter(files));
    return files;
}

std::vector<std::filesystem::path> modelledFiles()
{
    return snapshotsIn(dataDir() / "snapshots" / "modelled");
}

std::vector<std::filesystem::path> realFiles()
{
    return snapshotsIn(dataDir() / "snapshots" / "real");
}

} // namespace tidemark::test
