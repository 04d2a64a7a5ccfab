// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/kept_copies.h"

#include "core/base/language.h"
#include "core/base/new_file.h"
#include "core/base/stable_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <locale>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tidemark::remote {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOrigin = ".tidemark-origin";

/// "1234 1700000000\ngpu7:/run.pickle\n", or "1234 1700000000 part zstd 99 1048576\n…": these bytes
/// of the copy hold so many of the file.
std::string originText(const std::string& address, const FarStamp& stamp,
                       const std::optional<KeptPart>& part)
{
    std::string words = fmt::format("{} {}", stamp.size, stamp.modified);
    if (part) {
        words += fmt::format(" part {} {} {}", packerName(part->packer), part->whole.kept,
                             part->whole.holds);
    }
    return words + '\n' + address + '\n';
}

std::optional<Origin> parseOrigin(const std::string& text)
{
    Origin origin;
    const std::string line = text.substr(0, text.find('\n'));
    if (!text.ends_with('\n') || line.size() + 2 > text.size()) {
        return std::nullopt;
    }
    origin.address = text.substr(line.size() + 1, text.size() - line.size() - 2);
    std::istringstream first(line);
    first.imbue(std::locale::classic());
    std::string kind;
    std::string packer;
    if (!(first >> origin.stamp.size >> origin.stamp.modified)) {
        return std::nullopt;
    }
    KeptPart part;
    if (first >> kind >> packer >> part.whole.kept >> part.whole.holds) {
        for (const Packer known : {Packer::zstd, Packer::gzip}) {
            part.packer = packer == packerName(known) ? known : part.packer;
        }
        origin.part = part;
    }
    // What is not written as it is written here is not believed.
    return originText(origin.address, origin.stamp, origin.part) == text ? std::optional(origin)
                                                                         : std::nullopt;
}

std::string textOf(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct KeptCopy {
    fs::path file;
    fs::path origin;
    fs::file_time_type used;
    std::uint64_t size = 0;
};

/// The copy that lies in a folder of its own, if one does.
std::optional<KeptCopy> copyIn(const fs::path& folder)
{
    KeptCopy copy;
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
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/') {
        return fs::path(cache) / "tidemark/remote";
    }
    const char* const home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? fs::path(home) / ".cache/tidemark/remote" : fs::path();
}

std::optional<Origin> originOf(const fs::path& copy)
{
    return parseOrigin(textOf(copy.parent_path() / kOrigin));
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
    if (textOf(folder / kOrigin) != originText(address.text(), stamp, {})
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
                     say("Cannot keep the copy in {} ({}); check the folder.", folder.string(),
                         failure.message()),
                     {}};
    }
    return folder / address.fileName();
}

void KeptCopies::forget(const Address& address) const
{
    std::error_code failure;
    fs::remove(folderOf(address) / kOrigin, failure);
}

std::optional<KeptCopies::Begun> KeptCopies::begun(const Address& address) const
{
    const fs::path file = folderOf(address) / address.fileName();
    const std::optional<Origin> origin = originOf(file);
    std::error_code failure;
    if (!origin || !origin->part || origin->address != address.text() || origin->stamp == FarStamp{}
        || fs::file_size(file, failure) < origin->part->whole.kept || failure) {
        return std::nullopt;
    }
    return Begun{file, origin->stamp, *origin->part};
}

void KeptCopies::keep(const Address& address, const FarStamp& stamp,
                      const std::optional<KeptPart>& part) const
{
    const fs::path newest = folderOf(address);
    // Without this the file is fetched again the next time.
    (void)writeNewFile(newest / kOrigin, originText(address.text(), stamp, part)).has_value();
    std::vector<KeptCopy> copies;
    std::uint64_t sum = 0;
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(m_folder, failure)) {
        if (const std::optional<KeptCopy> copy = copyIn(entry.path())) {
            sum += copy->size;
            if (entry.path() != newest) {
                copies.push_back(*copy);
            }
        }
    }
    std::ranges::sort(copies, {}, &KeptCopy::used);
    for (const KeptCopy& copy : copies) {
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
        const std::optional<KeptCopy> copy = copyIn(entry.path());
        if (const auto origin = copy ? originOf(copy->file) : std::nullopt) {
            used.emplace_back(copy->used, origin->address);
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
