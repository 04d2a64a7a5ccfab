// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/input_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace tidemark::reader {
namespace {

constexpr std::size_t kReadStep = std::size_t{4} << 20;
constexpr std::size_t kReleaseStep = std::size_t{4} << 20;

class FileDescriptor {
public:
    explicit FileDescriptor(int fd)
        : m_fd(fd)
    {
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor()
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

Error openError(int code)
{
    switch (code) {
    case ENOENT:
    case ENOTDIR:
        return {ErrorCode::cannotOpen, "There is no such file; check the path."};
    case EACCES:
    case EPERM:
        return {
            ErrorCode::cannotOpen,
            "You have no permission to read this file; its owner can allow it with `chmod a+r`."};
    default:
        return {ErrorCode::cannotOpen,
                fmt::format("The file cannot be read ({}); copy it to a local disk and try again.",
                            std::generic_category().message(code))};
    }
}

Error cancelledError()
{
    return {ErrorCode::cancelled, "Reading was cancelled."};
}

/// The size of a regular file with something in it.
Result<std::size_t> checkedSize(int fd, const Limits& limits)
{
    struct stat info { };
    if (::fstat(fd, &info) != 0) {
        return openError(errno);
    }
    if (S_ISDIR(info.st_mode)) {
        return Error{ErrorCode::cannotOpen, "This is a folder; choose a snapshot file inside it."};
    }
    if (!S_ISREG(info.st_mode)) {
        return Error{
            ErrorCode::cannotOpen,
            "This is a pipe or a device, not a file; save the snapshot to disk and open that."};
    }
    const auto size = static_cast<std::uint64_t>(info.st_size);
    if (size == 0) {
        return emptyError();
    }
    if (size > limits.max_file_bytes) {
        return Error{
            ErrorCode::tooLarge,
            fmt::format(
                "The file has {} bytes, more than the {} that Tidemark reads; record a shorter "
                "stretch with a smaller max_entries.",
                size, limits.max_file_bytes)};
    }
    return static_cast<std::size_t>(size);
}

} // namespace

Error emptyError()
{
    return {ErrorCode::empty,
            "The file is empty: writing the snapshot failed, which symbolising C++ stacks "
            "can cause, so "
            "record again with stacks=\"python\"."};
}

InputBytes::InputBytes(InputBytes&& other) noexcept
    : m_owned(std::exchange(other.m_owned, {}))
    , m_bytes(std::exchange(other.m_bytes, {}))
    , m_released(std::exchange(other.m_released, 0))
{
}

InputBytes& InputBytes::operator=(InputBytes&& other) noexcept
{
    std::swap(m_owned, other.m_owned);
    std::swap(m_bytes, other.m_bytes);
    std::swap(m_released, other.m_released);
    return *this;
}

InputBytes::~InputBytes()
{
    if (!m_owned.empty()) {
        ::munmap(m_owned.data(), m_owned.size());
    }
}

InputBytes InputBytes::view(std::span<const std::byte> bytes)
{
    InputBytes result;
    result.m_bytes = bytes;
    return result;
}

Result<InputBytes> InputBytes::allocate(std::size_t size)
{
    InputBytes result;
    if (size == 0) {
        return result;
    }
    void* pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        return Error{
            ErrorCode::outOfMemory,
            fmt::format(
                "There is not enough memory for {} bytes of input; close other programs or use a "
                "larger machine.",
                size)};
    }
    result.m_owned = {static_cast<std::byte*>(pages), size};
    result.m_bytes = result.m_owned;
    return result;
}

Result<InputBytes> InputBytes::fromFile(const std::filesystem::path& path, const Limits& limits,
                                        ProgressSink& progress, const std::stop_token& stop)
{
    // Without O_NONBLOCK opening a pipe would wait for its writer for ever.
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) {
        return openError(errno);
    }
    const Result<std::size_t> size = checkedSize(file.get(), limits);
    if (!size.has_value()) {
        return size.error();
    }
    Result<InputBytes> result = allocate(size.value());
    if (!result.has_value()) {
        return result;
    }
    const std::span<std::byte> target = result.value().m_owned;
    std::size_t filled = 0;
    while (filled < target.size()) {
        if (stop.stop_requested()) {
            return cancelledError();
        }
        progress.report("opening",
                        static_cast<double>(filled) / static_cast<double>(target.size()));
        const ssize_t got =
            ::read(file.get(), target.data() + filled, std::min(kReadStep, target.size() - filled));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return openError(errno);
        }
        if (got == 0) {
            break; // The file became shorter meanwhile; what is missing shows when it is checked.
        }
        filled += static_cast<std::size_t>(got);
    }
    result.value().shrink(filled);
    return result;
}

void InputBytes::releaseBefore(std::size_t offset)
{
    if (m_owned.empty() || offset < m_released + kReleaseStep) {
        return;
    }
    const std::size_t end = std::min(offset, m_owned.size()) / kReleaseStep * kReleaseStep;
    ::madvise(m_owned.data() + m_released, end - m_released, MADV_DONTNEED);
    m_released = end;
}

} // namespace tidemark::reader
