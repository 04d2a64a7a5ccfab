// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/saved_file.h"

#include "core/base/language.h"
#include "core/base/new_file.h"
#include "core/base/stable_hash.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

namespace tidemark::pipeline {
namespace {

namespace fs = std::filesystem;

Error cannotWrite(const fs::path& file, std::string_view what, std::string_view why)
{
    return {ErrorCode::cannotWrite,
            say("Cannot write the {} to {} ({}).", translated(what), file.string(), why),
            {}};
}

Error cannotRead(const fs::path& file, std::string_view what, std::string_view why)
{
    return {ErrorCode::cannotOpen,
            say("Cannot read the {} {} ({}).", translated(what), file.string(), why),
            {}};
}

/// Closes a file descriptor.
class Descriptor {
public:
    explicit Descriptor(int fd)
        : m_fd(fd)
    {
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (m_fd >= 0) {
            ::close(m_fd);
        }
    }
    [[nodiscard]] int get() const
    {
        return m_fd;
    }

private:
    int m_fd;
};

/// Moves a file aside that is not of its kind, so that nothing of it is lost.
void keepDamaged(const fs::path& file, const SavedKind& kind)
{
    std::error_code ignored;
    if (fs::exists(file, ignored) && !kind.is_sound(file)) {
        fs::path aside = file;
        aside += ".damaged";
        fs::rename(file, aside, ignored);
    }
}

Result<Done> write(const fs::path& file, std::string_view text, const SavedKind& kind)
{
    const Result<Done> written = writeNewFile(file, text);
    return written.has_value() ? written : cannotWrite(file, kind.what, written.error().message);
}

} // namespace

SavedPlaces savedPlaces(const fs::path& snapshot, const fs::path& folder, std::string_view ending)
{
    SavedPlaces places{snapshot, {}};
    places.beside += ending;
    if (!folder.empty()) {
        std::error_code failure;
        const fs::path whole = fs::weakly_canonical(snapshot, failure);
        const std::uintmax_t size = fs::file_size(snapshot, failure);
        const std::uint64_t key =
            stableHash(fmt::format("{}\n{}", (whole.empty() ? snapshot : whole).string(),
                                   failure ? std::uintmax_t{0} : size));
        constexpr std::size_t kLongestPart = 200; // A name has at most 255 bytes.
        places.away = folder
            / fmt::format("{}-{:016x}{}", snapshot.filename().string().substr(0, kLongestPart), key,
                          ending);
    }
    return places;
}

fs::path newerOf(const SavedPlaces& places)
{
    const fs::path& a = places.beside;
    const fs::path& b = places.away;
    std::error_code no_a;
    std::error_code no_b;
    const auto time_a = fs::last_write_time(a, no_a);
    const auto time_b = b.empty() ? fs::file_time_type() : fs::last_write_time(b, no_b);
    const bool has_b = !b.empty() && !no_b;
    if (no_a) {
        return has_b ? b : fs::path();
    }
    return has_b && time_b > time_a ? b : a;
}

Result<std::string> readSavedFile(const fs::path& file, std::size_t most, Accepts accepts,
                                  std::string_view what)
{
    const int wait = accepts == Accepts::pipes_too ? 0 : O_NONBLOCK;
    const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | wait));
    struct stat info { };
    if (in.get() < 0 || ::fstat(in.get(), &info) != 0) {
        return cannotRead(file, what, std::strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return cannotRead(file, what, say("it is a folder"));
    }
    if (!S_ISREG(info.st_mode) && accepts == Accepts::regular_files) {
        return cannotRead(file, what, say("it is a pipe or a device"));
    }
    std::string text(most, '\0');
    std::size_t filled = 0;
    while (filled < text.size()) {
        const ssize_t got = ::read(in.get(), text.data() + filled, text.size() - filled);
        if (got < 0 && errno != EINTR) {
            return cannotRead(file, what, std::strerror(errno));
        }
        if (got == 0) {
            break;
        }
        filled += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    text.resize(filled);
    return text;
}

FolderLock::FolderLock(const fs::path& folder)
    : m_fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))
{
    constexpr int kTries = 500; // 5 s: who saves waits for the disk.
    constexpr std::chrono::milliseconds kPause{10};
    for (int i = 0; m_fd >= 0 && i < kTries; ++i) {
        if (::flock(m_fd, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)) {
            break;
        }
        std::this_thread::sleep_for(kPause);
    }
}

FolderLock::~FolderLock()
{
    if (m_fd >= 0) {
        ::close(m_fd); // Also gives back the lock.
    }
}

Result<SavedWhere> writeSaved(const SavedPlaces& places, std::string_view text,
                              const SavedKind& kind)
{
    std::error_code ignored;
    keepDamaged(places.beside, kind);
    const Result<Done> written = write(places.beside, text, kind);
    if (written.has_value()) {
        if (!places.away.empty()) {
            fs::remove(places.away, ignored); // Or an older one could come back one day.
        }
        return SavedWhere{places.beside, true};
    }
    if (places.away.empty()) {
        return written.error();
    }
    fs::create_directories(places.away.parent_path(), ignored);
    keepDamaged(places.away, kind);
    const Result<Done> away = write(places.away, text, kind);
    return away.has_value() ? Result<SavedWhere>(SavedWhere{places.away, false}) : away.error();
}

Result<SavedWhere> removeSaved(const SavedPlaces& places, const SavedKind& kind)
{
    for (const fs::path& file : {places.beside, places.away}) {
        std::error_code failure;
        if (!file.empty() && fs::exists(file, failure)) {
            keepDamaged(file, kind);
            fs::remove(file, failure);
            if (failure) {
                // What cannot be removed would come back: an empty one takes its place.
                std::error_code ignored;
                fs::create_directories(places.away.parent_path(), ignored);
                return write(places.away, kind.empty, kind).has_value()
                    ? Result<SavedWhere>(SavedWhere{places.away, false})
                    : Result<SavedWhere>(cannotWrite(file, kind.what, failure.message()));
            }
        }
    }
    return SavedWhere{};
}

} // namespace tidemark::pipeline
