// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/export/gzip.h"

#include <archive.h>
#include <archive_entry.h>

#include <memory>

namespace tidemark::exports {
namespace {

la_ssize_t append(archive* /*unused*/, void* to, const void* bytes, std::size_t count)
{
    static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), count);
    return static_cast<la_ssize_t>(count);
}

struct Closer {
    void operator()(archive* writer) const
    {
        archive_write_free(writer);
    }
    void operator()(archive_entry* entry) const
    {
        archive_entry_free(entry);
    }
};

} // namespace

Result<std::string> gzipped(std::string_view bytes)
{
    std::string packed;
    const std::unique_ptr<archive, Closer> writer(archive_write_new());
    const std::unique_ptr<archive_entry, Closer> entry(archive_entry_new());
    archive_write_set_format_raw(writer.get());
    archive_write_add_filter_gzip(writer.get());
    // No time stamp, so that two exports of a file are equal.
    archive_write_set_filter_option(writer.get(), "gzip", "timestamp", nullptr);
    archive_write_set_bytes_in_last_block(writer.get(), 1);
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_pathname(entry.get(), "profile");
    const bool is_written =
        archive_write_open(writer.get(), &packed, nullptr, append, nullptr) == ARCHIVE_OK
        && archive_write_header(writer.get(), entry.get()) == ARCHIVE_OK
        && archive_write_data(writer.get(), bytes.data(), bytes.size())
            == static_cast<la_ssize_t>(bytes.size())
        && archive_write_close(writer.get()) == ARCHIVE_OK;
    if (!is_written) {
        const char* const why = archive_error_string(writer.get());
        return Error{ErrorCode::cannotWrite, why == nullptr ? "gzip" : why, {}};
    }
    return packed;
}

} // namespace tidemark::exports
