// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/byte_source.h"
#include "core/reader/limits.h"

#include <filesystem>
#include <memory>

namespace tidemark::reader {

/// What to say of zero bytes.
Error emptyError();

/// The bytes of a regular file from its beginning, to where it ends when they are read: a file that
/// grows or shrinks meanwhile is read as it then is, one that is replaced is read as it was.
class FileSource final : public ByteSource {
public:
    /// Errors: cannotOpen, empty, tooLarge.
    static Result<std::unique_ptr<FileSource>> open(const std::filesystem::path& path,
                                                    const ReaderLimits& limits);
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;
    ~FileSource() override;

    Result<std::size_t> read(std::span<std::byte> target) override;
    [[nodiscard]] std::optional<std::uint64_t> size() const override
    {
        return m_size;
    }
    /// Another reader of the same file, at its beginning, even if the path names another one now.
    [[nodiscard]] std::unique_ptr<FileSource> again() const;

private:
    FileSource(int fd, std::uint64_t size);

    int m_fd;
    std::uint64_t m_size;
    std::uint64_t m_at = 0;
};

/// Bytes that are in memory already and must outlive this.
class MemorySource final : public ByteSource {
public:
    explicit MemorySource(std::span<const std::byte> bytes)
        : m_bytes(bytes)
    {
    }

    Result<std::size_t> read(std::span<std::byte> target) override;
    [[nodiscard]] std::optional<std::uint64_t> size() const override
    {
        return m_bytes.size();
    }

private:
    std::span<const std::byte> m_bytes;
    std::size_t m_at = 0;
};

} // namespace tidemark::reader
