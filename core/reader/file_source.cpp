// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/file_source.h"

#include "core/base/language.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace tidemark::reader {
namespace {

Error openError(int code)
{
    switch (code) {
    case ENOENT:
    case ENOTDIR:
        return {ErrorCode::cannotOpen, say("No such file; check the path.")};
    case EACCES:
    case EPERM:
        return {ErrorCode::cannotOpen,
                say("You have no permission to read this file; its owner can allow it with `chmod "
                    "a+r`.")};
    default:
        return {ErrorCode::cannotOpen,
                say("The file cannot be read ({}); copy it to a local disk and try again.",
                    std::generic_category().message(code))};
    }
}

/// The size of a regular file with something in it.
Result<std::uint64_t> checkedSize(int fd, const ReaderLimits& limits)
{
    struct stat info { };
    if (::fstat(fd, &info) != 0) {
        return openError(errno);
    }
    if (S_ISDIR(info.st_mode)) {
        return Error{ErrorCode::cannotOpen,
                     say("This is a folder; choose a snapshot file inside it.")};
    }
    if (!S_ISREG(info.st_mode)) {
        return Error{ErrorCode::cannotOpen,
                     say("This is a pipe or a device, not a file; save the snapshot to disk and "
                         "open that.")};
    }
    const auto size = static_cast<std::uint64_t>(info.st_size);
    if (size == 0) {
        return emptyError();
    }
    if (size > limits.max_file_bytes) {
        return Error{ErrorCode::tooLarge,
                     say("The file has {} bytes, over Tidemark's limit of {}; record less with a "
                         "smaller max_entries.",
                         size, limits.max_file_bytes)};
    }
    return size;
}

} // namespace

Error emptyError()
{
    return {ErrorCode::empty,
            say("The file is empty: writing the snapshot failed, maybe while symbolizing C++ "
                "stacks. Record with stacks=\"python\".")};
}

FileSource::FileSource(int fd, std::uint64_t size)
    : m_fd(fd)
    , m_size(size)
{
}

FileSource::~FileSource()
{
    if (m_fd >= 0) {
        ::close(m_fd);
    }
}

Result<std::unique_ptr<FileSource>> FileSource::open(const std::filesystem::path& path,
                                                     const ReaderLimits& limits)
{
    // Without O_NONBLOCK opening a pipe would wait for its writer for ever.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return openError(errno);
    }
    std::unique_ptr<FileSource> source(new FileSource(fd, 0)); // The constructor is private.
    const Result<std::uint64_t> size = checkedSize(fd, limits);
    if (!size.has_value()) {
        return size.error();
    }
    source->m_size = size.value();
    return source;
}

std::unique_ptr<FileSource> FileSource::again() const
{
    return std::unique_ptr<FileSource>(
        new FileSource(::fcntl(m_fd, F_DUPFD_CLOEXEC, 0), m_size)); // The constructor is private.
}

Result<std::size_t> FileSource::read(std::span<std::byte> target)
{
    while (true) {
        const ssize_t got = ::pread(m_fd, target.data(), target.size(), static_cast<off_t>(m_at));
        if (got >= 0) {
            m_at += static_cast<std::uint64_t>(got);
            return static_cast<std::size_t>(got);
        }
        if (errno != EINTR) {
            return openError(errno);
        }
    }
}

Result<std::size_t> MemorySource::read(std::span<std::byte> target)
{
    const std::size_t count = std::min(target.size(), m_bytes.size() - m_at);
    std::memcpy(target.data(), m_bytes.data() + m_at, count);
    m_at += count;
    return count;
}

} // namespace tidemark::reader
