// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/reader/archive_source.h"
#include "core/reader/byte_source.h"
#include "core/reader/pickle_route.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::reader {

/// The current file of an archive that is unpacked once from its beginning to its end, as something
/// that can be read several times: what it begins with is kept, so a short file, and a look at the
/// kind of a long one, cost nothing. The first that reads a long one further takes what comes out
/// of the archive; each one after it calls `again`. To be done with before the archive goes on, and
/// for one reader at a time.
class ArchiveEntry {
public:
    /// Reads up to kKeptBytes. `again` gives this file from its beginning, by unpacking everything
    /// before it once more. Both must outlive this.
    ArchiveEntry(ArchiveSource& archive, const SourceOpener& again);

    /// The file from its beginning. O(1).
    [[nodiscard]] std::unique_ptr<ByteSource> open();

    static constexpr std::size_t kKeptBytes = std::size_t{8} << 20;

private:
    class Source;
    /// What follows the bytes that were kept.
    Result<std::unique_ptr<ByteSource>> rest();

    ArchiveSource* m_archive;
    const SourceOpener* m_again;
    std::vector<std::byte> m_kept;
    bool m_is_whole = false; ///< There is no more than what was kept.
    bool m_is_taken = false;
    std::optional<Error> m_error; ///< What a whole one ends with.
};

} // namespace tidemark::reader
