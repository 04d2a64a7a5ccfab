// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/archive_entry.h"

#include "core/base/language.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tidemark::reader {
namespace {

/// What is left of the archive's current file.
class RestSource final : public ByteSource {
public:
    explicit RestSource(ArchiveSource& archive)
        : m_archive(&archive)
    {
    }
    Result<std::size_t> read(std::span<std::byte> target) override
    {
        return m_archive->read(target);
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const override
    {
        return {};
    }

private:
    ArchiveSource* m_archive;
};

} // namespace

class ArchiveEntry::Source final : public ByteSource {
public:
    explicit Source(ArchiveEntry& entry)
        : m_entry(&entry)
    {
    }
    Result<std::size_t> read(std::span<std::byte> target) override
    {
        const std::size_t kept = std::min(target.size(), m_entry->m_kept.size() - m_at);
        if (kept > 0 || target.empty()) {
            std::memcpy(target.data(), m_entry->m_kept.data() + m_at, kept);
            m_at += kept;
            return kept;
        }
        if (m_entry->m_is_whole) {
            return m_entry->m_error ? Result<std::size_t>(*m_entry->m_error) : std::size_t{0};
        }
        if (m_rest == nullptr) {
            Result<std::unique_ptr<ByteSource>> rest = m_entry->rest();
            if (!rest.has_value()) {
                return rest.error();
            }
            m_rest = std::move(rest).value();
        }
        return m_rest->read(target);
    }
    /// What an archive claims is nothing to reserve memory by.
    [[nodiscard]] std::optional<std::uint64_t> size() const override
    {
        return {};
    }

private:
    ArchiveEntry* m_entry;
    std::size_t m_at = 0;
    std::unique_ptr<ByteSource> m_rest;
};

ArchiveEntry::ArchiveEntry(ArchiveSource& archive, const SourceOpener& again)
    : m_archive(&archive)
    , m_again(&again)
{
    constexpr std::size_t kStep = std::size_t{64} << 10;
    while (!m_is_whole && m_kept.size() < kKeptBytes) {
        const std::size_t filled = m_kept.size();
        m_kept.resize(std::min(filled + kStep, kKeptBytes));
        const Result<std::size_t> got = archive.read(std::span(m_kept).subspan(filled));
        m_kept.resize(filled + (got.has_value() ? got.value() : 0));
        m_is_whole = m_kept.size() == filled;
        if (!got.has_value()) {
            m_error = got.error();
        }
    }
}

std::unique_ptr<ByteSource> ArchiveEntry::open()
{
    return std::make_unique<Source>(*this);
}

Result<std::unique_ptr<ByteSource>> ArchiveEntry::rest()
{
    if (!std::exchange(m_is_taken, true)) {
        return std::unique_ptr<ByteSource>(std::make_unique<RestSource>(*m_archive));
    }
    Result<std::unique_ptr<ByteSource>> source = (*m_again)();
    if (!source.has_value()) {
        return source;
    }
    std::vector<std::byte> block(std::size_t{64} << 10);
    std::size_t left = m_kept.size();
    while (left > 0) {
        const Result<std::size_t> got =
            source.value()->read(std::span(block).first(std::min(left, block.size())));
        if (!got.has_value()) {
            return got.error();
        }
        if (got.value() == 0) {
            return Error{ErrorCode::damaged,
                         say("The archive changed while reading; open it again.")};
        }
        left -= got.value();
    }
    return source;
}

} // namespace tidemark::reader
