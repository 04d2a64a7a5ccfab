// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>

namespace tidemark::cli {

/// A file that was named, where it can be opened here.
struct LocalInput {
    std::filesystem::path file;
    bool is_copy = false; ///< Of a file on another machine.
    std::string notice{}; ///< To be said: the line broke off, and not all of it came.
};

/// `name` itself, or a copy of it where it is "ssh://host/path" or "user@host:path" and no file
/// here is called so; then what is fetched is told on a terminal. Errors: those of remote::fetch; a
/// folder of another machine, with its newest dumps in the sentence.
Result<LocalInput> localInput(const std::string& name);

} // namespace tidemark::cli
