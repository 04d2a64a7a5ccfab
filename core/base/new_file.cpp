// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/new_file.h"

#include "core/base/language.h"
#include "core/base/unfinished_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <random>
#include <streambuf>
#include <string>
#include <system_error>
#include <utility>

namespace tidemark {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kPermissions = 0777;

Error cannotWrite(int error)
{
    return {ErrorCode::cannotWrite, std::generic_category().message(error), {}};
}

/// The file that a name stands for, also where a link leads to none yet.
fs::path linkedFile(fs::path path)
{
    constexpr int kMostLinks = 40;
    for (int i = 0; i < kMostLinks; ++i) {
        std::error_code failure;
        const fs::path to = fs::read_symlink(path, failure);
        if (failure) {
            break;
        }
        path = to.is_absolute() ? to : path.parent_path() / to;
    }
    return path;
}

/// In the target's folder, and short, however long the target's name is.
fs::path unforeseeableName(const fs::path& target)
{
    std::random_device random;
    return target.parent_path() / fmt::format(".tidemark-{:08x}{:08x}.part", random(), random());
}

} // namespace

/// Writes to a file descriptor, which it does not own. Not in the anonymous namespace: a member of
/// NewFile::Target, which has linkage, is one.
class DescriptorBuffer final : public std::streambuf {
public:
    explicit DescriptorBuffer(int fd)
        : m_fd(fd)
    {
        setp(m_bytes.data(), m_bytes.data() + m_bytes.size());
    }
    /// Of the first write that failed, else 0.
    [[nodiscard]] int error() const
    {
        return m_error;
    }

protected:
    int_type overflow(int_type c) override
    {
        if (sync() != 0) {
            return traits_type::eof();
        }
        if (!traits_type::eq_int_type(c, traits_type::eof())) {
            sputc(traits_type::to_char_type(c));
        }
        return traits_type::not_eof(c);
    }
    int sync() override
    {
        const char* at = pbase();
        while (at != pptr() && m_error == 0) {
            const ssize_t written = ::write(m_fd, at, static_cast<std::size_t>(pptr() - at));
            if (written >= 0) {
                at += written;
            } else if (errno != EINTR) {
                m_error = errno;
            }
        }
        setp(m_bytes.data(), m_bytes.data() + m_bytes.size());
        return m_error == 0 ? 0 : -1;
    }

private:
    int m_fd;
    int m_error = 0;
    std::array<char, 1U << 16> m_bytes{};
};

class NewFile::Target {
public:
    explicit Target(fs::path path)
        : m_path(std::move(path))
    {
    }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;
    ~Target()
    {
        close();
        if (!m_unfinished.empty()) {
            forgetUnfinishedFile(m_slot);
            ::unlink(m_unfinished.c_str());
        }
    }

    /// 0, or why it cannot be written.
    int open()
    {
        struct stat old { };
        const bool exists = ::stat(m_path.c_str(), &old) == 0;
        if (!exists && errno != ENOENT) {
            return errno;
        }
        if (exists && S_ISDIR(old.st_mode)) {
            return EISDIR;
        }
        if (exists && ::access(m_path.c_str(), W_OK) != 0) {
            return errno;
        }
        if (exists && !S_ISREG(old.st_mode)) {
            return openDirectly(O_WRONLY);
        }
        int error = openUnfinished(exists ? &old : nullptr);
        if (exists && (error == EACCES || error == EPERM || error == EROFS)) {
            error = openBesideNothing();
        }
        return error;
    }

    std::ostream& stream()
    {
        return m_stream;
    }

    [[nodiscard]] const fs::path& unfinished() const
    {
        return m_unfinished;
    }

    int commit()
    {
        m_stream.flush();
        if (m_held) {
            return writeHeld();
        }
        int error = m_buffer->error() != 0 ? m_buffer->error() : m_stream ? 0 : EIO;
        if (error == 0 && !m_unfinished.empty() && ::fsync(m_fd) != 0 && errno == EIO) {
            error = errno; // Other errors say that this file system knows no such thing.
        }
        const int closed = close();
        error = error != 0 ? error : closed;
        if (error == 0 && !m_unfinished.empty()) {
            if (::rename(m_unfinished.c_str(), m_path.c_str()) != 0) {
                return errno;
            }
            forgetUnfinishedFile(m_slot);
            m_unfinished.clear();
        }
        return error;
    }

private:
    int openDirectly(int flags)
    {
        m_fd = ::open(m_path.c_str(), flags | O_CLOEXEC);
        if (m_fd < 0) {
            return errno;
        }
        m_stream.rdbuf(&m_buffer.emplace(m_fd));
        return 0;
    }

    int openUnfinished(const struct stat* old)
    {
        constexpr int kTries = 100;
        int error = EEXIST;
        for (int i = 0; i < kTries && error == EEXIST; ++i) {
            fs::path name = unforeseeableName(m_path);
            m_slot = noteUnfinishedFile(name.native());
            m_fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                          old == nullptr ? 0666 : 0600); // The umask takes its part.
            error = m_fd < 0 ? errno : 0;
            if (error == 0) {
                m_unfinished = std::move(name);
            } else {
                forgetUnfinishedFile(m_slot);
            }
        }
        if (error != 0) {
            return error;
        }
        if (old != nullptr) {
            const bool is_kept = ::fchown(m_fd, old->st_uid, old->st_gid) == 0;
            // What was given to the old group is not for another one.
            ::fchmod(m_fd, old->st_mode & (is_kept ? kPermissions : kPermissions & ~070U));
        }
        m_stream.rdbuf(&m_buffer.emplace(m_fd));
        return 0;
    }

    /// The folder takes no new file, so what comes is held in memory until it is complete.
    int openBesideNothing()
    {
        m_fd = ::open(m_path.c_str(), O_WRONLY | O_CLOEXEC);
        if (m_fd < 0) {
            return errno;
        }
        m_stream.rdbuf(&m_held.emplace(std::ios::out));
        return 0;
    }

    int writeHeld()
    {
        const std::string bytes = m_held->str();
        DescriptorBuffer buffer(m_fd);
        std::ostream out(&buffer);
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush();
        int error = buffer.error();
        if (error == 0 && ::ftruncate(m_fd, static_cast<off_t>(bytes.size())) != 0) {
            error = errno;
        }
        const int closed = close();
        return error != 0 ? error : closed;
    }

    int close()
    {
        const int fd = std::exchange(m_fd, -1);
        return fd >= 0 && ::close(fd) != 0 && errno != EINTR ? errno : 0;
    }

    fs::path m_path;
    fs::path m_unfinished; ///< Empty: the file is written directly.
    int m_slot = -1;
    int m_fd = -1;
    std::optional<DescriptorBuffer> m_buffer;
    std::optional<std::stringbuf> m_held;
    std::ostream m_stream{nullptr};
};

NewFile::NewFile(std::unique_ptr<Target> target)
    : m_target(std::move(target))
{
}
NewFile::NewFile(NewFile&&) noexcept = default;
NewFile& NewFile::operator=(NewFile&&) noexcept = default;
NewFile::~NewFile() = default;

Result<NewFile> NewFile::create(const fs::path& path)
{
    auto target = std::make_unique<Target>(linkedFile(path));
    if (const int error = target->open(); error != 0) {
        return cannotWrite(error);
    }
    return NewFile(std::move(target));
}

std::ostream& NewFile::stream()
{
    return m_target->stream();
}

const fs::path& NewFile::unfinished() const
{
    return m_target->unfinished();
}

Result<Done> NewFile::commit()
{
    const int error = m_target->commit();
    return error == 0 ? Result<Done>(Done{}) : Result<Done>(cannotWrite(error));
}

Result<Done> NewFiles::commit()
{
    for (NewFile& file : m_files) {
        if (Result<Done> done = file.commit(); !done.has_value()) {
            return done;
        }
    }
    return Done{};
}

Error writeError(Error error)
{
    if (error.code == ErrorCode::cannotWrite) {
        error.message =
            say("Cannot write it ({}); check the folder and free disk space.", error.message);
    }
    return error;
}

Result<Done> writeNewFile(const fs::path& path, std::string_view bytes)
{
    Result<NewFile> file = NewFile::create(path);
    if (!file.has_value()) {
        return file.error();
    }
    file.value().stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file.value().commit();
}

} // namespace tidemark
