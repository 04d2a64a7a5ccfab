// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <memory>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark {

/// A file that appears under its name only when it is complete; until then what was there stays as
/// it is. All files that the program leaves behind are written by it.
///
///     create(path) -> stream() << … -> commit()
///
/// What is unfinished has a name in the same folder that nobody can foresee, never opens what is
/// there already, and goes with the object, or with the program where
/// `removeUnfinishedFilesOnSignals` was called. The new file has the permissions of the old one,
/// and its owner where that may be given; links are followed to the file they stand for. A pipe or
/// a device is written directly, and so is, once everything is known, a file in a folder that takes
/// no new ones.
///
/// Errors are cannotWrite, with the system's words for the reason as message.
class NewFile {
public:
    static Result<NewFile> create(const std::filesystem::path& path);
    NewFile(NewFile&&) noexcept;
    NewFile& operator=(NewFile&&) noexcept;
    ~NewFile();

    std::ostream& stream();
    /// Where the bytes are until then, once the stream was flushed; empty where they are written
    /// directly or held.
    [[nodiscard]] const std::filesystem::path& unfinished() const;
    /// Gives the file its name. To be called once.
    Result<Done> commit();

private:
    class Target;
    explicit NewFile(std::unique_ptr<Target> target);

    std::unique_ptr<Target> m_target;
};

/// Several files, none of which has its name before all of them are written.
class NewFiles {
public:
    /// `write(stream)` fills it and says how that went.
    template <class Write>
    Result<Done> add(const std::filesystem::path& path, const Write& write)
    {
        Result<NewFile> made = NewFile::create(path);
        if (!made.has_value()) {
            return made.error();
        }
        if (Result<Done> done = write(made.value().stream()); !done.has_value()) {
            return done;
        }
        if (!made.value().stream().flush()) {
            return made.value().commit(); // With the system's reason.
        }
        m_files.push_back(std::move(made).value());
        return Done{};
    }
    Result<Done> commit();

private:
    std::vector<NewFile> m_files;
};

/// All of a file at once.
Result<Done> writeNewFile(const std::filesystem::path& path, std::string_view bytes);

/// An error of those above as a sentence for people; others stay as they are.
Error writeError(Error error);

/// From now on SIGINT, SIGTERM and SIGHUP remove the unfinished files before they end the program;
/// those that are ignored stay ignored. A limit of a file's size is an error of its writer.
void removeUnfinishedFilesOnSignals();

} // namespace tidemark
