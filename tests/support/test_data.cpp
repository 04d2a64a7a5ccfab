// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_data.h"

#include <QtCore/QByteArray>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <system_error>

namespace tidemark::test {

namespace {

std::string fromEnvironment(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

bool isSnapshot(const std::filesystem::path& file)
{
    const std::string name = file.filename().string();
    return name.find(".pickle") != std::string::npos || name.ends_with(".pkl");
}

/// Those in a folder itself, sorted; none where it is missing.
std::vector<std::filesystem::path> snapshotsIn(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.is_regular_file(error) && isSnapshot(entry.path()))
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

/// The first snapshot of each folder in one, sorted.
std::vector<std::filesystem::path> firstOfEach(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (const auto ranks = snapshotsIn(entry.path()); !ranks.empty())
            files.push_back(ranks.front());
    }
    std::ranges::sort(files);
    return files;
}

} // namespace

std::filesystem::path ownData()
{
    return std::filesystem::path(TIDEMARK_SOURCE_DIR) / "tests/data";
}

std::filesystem::path modelledFile(std::string_view name)
{
    return ownData() / "modelled" / (std::string(name) + ".pickle.xz");
}

std::vector<std::filesystem::path> modelledFiles()
{
    return snapshotsIn(ownData() / "modelled");
}

std::string bareName(const std::filesystem::path& snapshot)
{
    const std::string name = snapshot.filename().string();
    return name.substr(0, name.rfind(".pickle"));
}

std::filesystem::path beside(const std::filesystem::path& snapshot, std::string_view ending)
{
    return snapshot.parent_path() / (bareName(snapshot) + std::string(ending));
}

std::filesystem::path othersData()
{
    const std::string folder = fromEnvironment("TIDEMARK_DATA_DIR");
    return folder.empty() ? TIDEMARK_DATA_DIR : folder;
}

std::vector<std::filesystem::path> othersFiles()
{
    auto files = snapshotsIn(othersData() / "snapshots/real");
    std::ranges::copy(snapshotsIn(othersData() / "snapshots/jobs/titan_oom_4"),
                      std::back_inserter(files));
    std::ranges::sort(files);
    return files;
}

std::vector<std::filesystem::path> recordings()
{
    if (fromEnvironment("TIDEMARK_RECORDINGS") == "others")
        return othersFiles();
    auto files = firstOfEach(ownData() / "jobs");
    std::ranges::copy(modelledFiles(), std::back_inserter(files));
    std::ranges::copy(snapshotsIn(ownData() / "modern"), std::back_inserter(files));
    return files;
}

bool isOfPrivateBuild(const std::filesystem::path& snapshot)
{
    return snapshot.filename().string().starts_with("fjc-oai__");
}

unsigned sample()
{
    const std::string each = fromEnvironment("TIDEMARK_SAMPLE");
    return each.empty() ? 1 : static_cast<unsigned>(std::stoul(each));
}

std::vector<std::filesystem::path> sampled(std::vector<std::filesystem::path> files)
{
    std::erase_if(files, [&](const std::filesystem::path& file) {
        const QByteArray name = QByteArray::fromStdString(file.parent_path().filename().string()
                                                          + '/' + bareName(file));
        return qChecksum(name) % sample() != 0;
    });
    return files;
}

bool requiresData()
{
    return fromEnvironment("TIDEMARK_REQUIRE_DATA") == "1";
}

} // namespace tidemark::test
