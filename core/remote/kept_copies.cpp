// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/kept_copies.h"

#include "core/base/new_file.h"
#include "core/base/stable_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tidemark::remote {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOrigin = ".tidemark-origin";

std::string originText(const Address& address, const FarStamp& stamp)
{
    return fmt::format("{} {}\n{}\n", stamp.size, stamp.modified, address.text());
}

std::string textOf(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct Copy {
    fs::path file;
    fs::path origin;
    fs::file_time_type used;
    std::uint64_t size = 0;
};

/// The copy that lies in a folder of its own, if one does.
std::optional<Copy> copyIn(const fs::path& folder)
{
    Copy copy;
    copy.origin = folder / kOrigin;
    std::error_code failure;
    copy.used = fs::last_write_time(copy.origin, failure);
    if (failure) {
        return std::nullopt;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(".tidemark-") && !name.ends_with(".tidemark-rules.json")
            && entry.is_regular_file(failure)) {
            copy.file = entry.path();
            copy.size = entry.file_size(failure);
            return copy;
        }
    }
    return std::nullopt;
}

} // namespace

fs::path userCopiesFolder()
{
    const char* const cache = std::getenv("XDG_CACHE_HOME"); // NOLINT(concurrency-mt-unsafe): read
    if (cache != nullptr && *cache == '/') {
        return fs::path(cache) / "tidemark/remote";
    }
    const char* const home = std::getenv("HOME"); // NOLINT(concurrency-mt-unsafe): only read
    return home != nullptr && *home == '/' ? fs::path(home) / ".cache/tidemark/remote" : fs::path();
}

KeptCopies::KeptCopies(fs::path folder, std::uint64_t most_bytes)
    : m_folder(std::move(folder))
    , m_most_bytes(most_bytes)
{
}

fs::path KeptCopies::folderOf(const Address& address) const
{
    std::string host = address.host;
    std::ranges::replace(host, ':', '_');
    return m_folder / fmt::format("{}-{:016x}", host, stableHash(address.text()));
}

std::optional<fs::path> KeptCopies::find(const Address& address, const FarStamp& stamp) const
{
    if (stamp == FarStamp{}) {
        return std::nullopt; // The other side could not tell.
    }
    const fs::path folder = folderOf(address);
    const fs::path file = folder / address.fileName();
    std::error_code failure;
    if (textOf(folder / kOrigin) != originText(address, stamp)
        || !fs::is_regular_file(file, failure)) {
        return std::nullopt;
    }
    fs::last_write_time(folder / kOrigin, fs::file_time_type::clock::now(), failure);
    return file;
}

Result<fs::path> KeptCopies::place(const Address& address) const
{
    const fs::path folder = folderOf(address);
    std::error_code failure;
    fs::create_directories(folder, failure);
    if (!failure) {
        fs::permissions(m_folder, fs::perms::owner_all, failure);
    }
    if (failure) {
        return Error{ErrorCode::cannotWrite,
                     fmt::format("The copy cannot be kept in {} ({}); check the folder.",
                                 folder.string(), failure.message()),
                     {}};
    }
    // What is written from now on is not the file that is described there.
    fs::remove(folder / kOrigin, failure);
    return folder / address.fileName();
}

void KeptCopies::keep(const Address& address, const FarStamp& stamp) const
{
    const fs::path newest = folderOf(address);
    // Without this the file is fetched again the next time.
    (void)writeNewFile(newest / kOrigin, originText(address, stamp)).has_value();
    std::vector<Copy> copies;
    std::uint64_t sum = 0;
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(m_folder, failure)) {
        if (const std::optional<Copy> copy = copyIn(entry.path())) {
            sum += copy->size;
            if (entry.path() != newest) {
                copies.push_back(*copy);
            }
        }
    }
    std::ranges::sort(copies, {}, &Copy::used);
    for (const Copy& copy : copies) {
        if (sum <= m_most_bytes) {
            return;
        }
        sum -= copy.size;
        fs::remove(copy.file, failure);
        fs::remove(copy.origin, failure);
        fs::remove(copy.file.parent_path(), failure); // Unless corrections are left in it.
    }
}

std::vector<std::string> KeptCopies::addresses() const
{
    std::vector<std::pair<fs::file_time_type, std::string>> used;
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(m_folder, failure)) {
        const std::optional<Copy> copy = copyIn(entry.path());
        const std::string origin = copy ? textOf(copy->origin) : std::string();
        const std::size_t line = origin.find('\n');
        if (line != std::string::npos && origin.ends_with('\n')) {
            used.emplace_back(copy->used, origin.substr(line + 1, origin.size() - line - 2));
        }
    }
    std::ranges::sort(used, std::greater());
    std::vector<std::string> addresses;
    for (auto& [time, address] : used) {
        addresses.push_back(std::move(address));
    }
    return addresses;
}

} // namespace tidemark::remote
