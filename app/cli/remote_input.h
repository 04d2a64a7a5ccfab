// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tidemark::cli {

/// A file that was named, where it can be opened here.
struct LocalInput {
    std::filesystem::path file;
    bool is_copy = false; ///< Of a file on another machine.
    std::uint64_t original_bytes = 0; ///< Of the file that it is a copy of; 0: not known.
    std::string notice{}; ///< To be said: the line broke off, and not all of it came.
};

/// `name` itself, or a copy of it where it is "ssh://host/path" or "user@host:path" and no file
/// here is called so; then what is fetched is told on a terminal. Errors: those of remote::fetch; a
/// folder of another machine, with its newest dumps in the sentence.
Result<LocalInput> localInput(const std::string& name);

/// One of several files that a name stands for.
struct NamedInput {
    std::string name;
    Result<LocalInput> input;
};

/// The same, and where a folder of another machine holds the ranks of a job, those of the newest
/// one, by rank; which these are is told on standard error. Never empty.
std::vector<NamedInput> localInputs(const std::string& name);

} // namespace tidemark::cli
