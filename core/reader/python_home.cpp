// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/python_home.h"

#include <system_error>

namespace tidemark::reader {

bool hasPythonLibrary(const std::filesystem::path& home, std::string_view library_folder)
{
    std::error_code error;
    return std::filesystem::exists(home / library_folder / "os.py", error);
}

std::filesystem::path pythonHome(std::string_view library_folder)
{
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path own = program.parent_path().parent_path();
    // A program right below the root, such as /tmp/tidemark, has no prefix of its own.
    const bool has_prefix = own.has_relative_path();
    return has_prefix && hasPythonLibrary(own, library_folder) ? own
                                                               : std::filesystem::path("/usr");
}

} // namespace tidemark::reader
