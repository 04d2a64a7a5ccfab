// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/growing_file.h"
#include "core/reader/file_source.h"

#include <memory>
#include <utility>

namespace tidemark::reader {

/// The bytes of a file that is still being written: at its end this waits for more, until no more
/// will come. A stop is answered when the file next grows.
class GrowingSource final : public ByteSource {
public:
    GrowingSource(std::unique_ptr<FileSource> file, const GrowingFile& growing)
        : m_file(std::move(file))
        , m_growing(growing)
    {
    }

    Result<std::size_t> read(std::span<std::byte> target) override
    {
        while (true) {
            const std::uint64_t growth = m_growing.growth(); // Before: what comes after it is new.
            Result<std::size_t> got = m_file->read(target);
            if (!got.has_value() || got.value() > 0 || growth == GrowingFile::kEnded) {
                return got;
            }
            m_growing.waitBeyond(growth);
        }
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const override
    {
        return {}; // It may arrive packed.
    }

private:
    std::unique_ptr<FileSource> m_file;
    const GrowingFile& m_growing;
};

} // namespace tidemark::reader
