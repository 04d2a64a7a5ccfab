// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::test {

struct PackedFile {
    std::string name;
    std::string content;
};

/// Writes packed files with libarchive, into memory.
class ArchiveWriter {
public:
    /// A filter of libarchive (ARCHIVE_FILTER_GZIP, ...) around one stream.
    static std::string compress(int filter, std::string_view content)
    {
        ArchiveWriter writer;
        archive_write_add_filter(writer.m_archive, filter);
        archive_write_set_format_raw(writer.m_archive);
        writer.open();
        writer.add("data", content, AE_IFREG);
        return writer.close();
    }
    /// A zip whose files are deflated, with their lengths behind the bytes as pipes need it.
    static std::string zip(const std::vector<PackedFile>& files, const char* options = "")
    {
        ArchiveWriter writer;
        archive_write_set_format_zip(writer.m_archive);
        archive_write_set_passphrase(writer.m_archive, "secret");
        writer.check(archive_write_set_options(writer.m_archive, options));
        return writer.writeAll(files);
    }
    static std::string tar(const std::vector<PackedFile>& files)
    {
        ArchiveWriter writer;
        archive_write_set_format_pax_restricted(writer.m_archive);
        return writer.writeAll(files);
    }

    ArchiveWriter(const ArchiveWriter&) = delete;
    ArchiveWriter& operator=(const ArchiveWriter&) = delete;
    ~ArchiveWriter()
    {
        archive_write_free(m_archive);
    }

private:
    ArchiveWriter()
        : m_archive(archive_write_new())
    {
    }
    void check(int status)
    {
        if (status != ARCHIVE_OK) {
            const char* said = archive_error_string(m_archive);
            throw std::runtime_error(said == nullptr ? "libarchive" : said);
        }
    }
    void open()
    {
        archive_write_set_bytes_in_last_block(m_archive, 1);
        const auto write = [](archive*, void* to, const void* bytes, std::size_t size) {
            static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
            return static_cast<la_ssize_t>(size);
        };
        check(archive_write_open2(m_archive, &m_bytes, nullptr, write, nullptr, nullptr));
    }
    /// Names that end with a slash are folders.
    std::string writeAll(const std::vector<PackedFile>& files)
    {
        open();
        for (const PackedFile& file : files) {
            add(file.name, file.content, file.name.ends_with('/') ? AE_IFDIR : AE_IFREG);
        }
        return close();
    }
    void add(const std::string& name, std::string_view content, unsigned type)
    {
        archive_entry* entry = archive_entry_new();
        archive_entry_set_pathname(entry, name.c_str());
        archive_entry_set_filetype(entry, type);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
        const int status = archive_write_header(m_archive, entry);
        archive_entry_free(entry);
        check(status);
        if (archive_write_data(m_archive, content.data(), content.size())
            != static_cast<la_ssize_t>(content.size())) {
            check(ARCHIVE_FATAL);
        }
    }
    std::string close()
    {
        check(archive_write_close(m_archive));
        return m_bytes;
    }

    archive* m_archive;
    std::string m_bytes;
};

} // namespace tidemark::test
