// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/reader/limits.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace tidemark::job {

/// A new folder among the temporary ones, for its owner alone; removed with what is in it.
class ScratchFolder {
public:
    /// Errors: cannotWrite.
    static Result<std::shared_ptr<const ScratchFolder>> create();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder();

    [[nodiscard]] const std::filesystem::path& path() const
    {
        return m_path;
    }

private:
    explicit ScratchFolder(std::filesystem::path path);

    std::filesystem::path m_path;
};

/// A name from an archive as a path below a folder: no root, no "..", no invisible characters, no
/// part longer than a file's name may be. Empty where nothing is left, and of what is hidden (macOS
/// puts "._rank0.pickle" beside each file).
std::filesystem::path inertPath(std::string_view name);

/// Whether a file holds files, packed or not (tar, tar.gz, zip), by what is in it.
bool isArchive(const std::filesystem::path& file);

struct UnpackOptions {
    reader::ReaderLimits limits{};
    /// Room on the disk that is left; none: what is free there, less a part for others.
    std::optional<std::uint64_t> most_bytes{};
};

struct Unpacked {
    std::shared_ptr<const ScratchFolder> folder;
    std::string broken; ///< A sentence: why not all of it came. Empty: it did.
};

/// Unpacks those files of an archive that are named as dumps are, the last of equal names. Names
/// inside cannot leave the folder. Errors: as reader::ArchiveSource, cannotWrite (also where the
/// disk has not the room), cancelled.
Result<Unpacked> unpackDumps(const std::filesystem::path& archive, const UnpackOptions& options,
                             const std::stop_token& stop);

} // namespace tidemark::job
