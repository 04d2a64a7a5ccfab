// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tidemark::remote {

/// How far a file has come.
struct Received {
    std::uint64_t bytes = 0; ///< That came over the line.
    std::uint64_t size = 0; ///< Of the file there; 0: not known.
    bool is_packed = false; ///< Fewer bytes than `size` will come.
    std::uint64_t holds = 0; ///< Bytes of the file that are here; of a packed one at least so many.
    std::filesystem::path so_far{}; ///< Where they are for now; empty: in no file.
    std::filesystem::path copy{}; ///< What that will be called.

    /// Of the file, 0 to 1; 0 where its size is not known.
    [[nodiscard]] double share() const;
};

/// "12.0 MiB received, packed: 38 % of 900.0 MiB", as far as it is known.
std::string receivedWords(const Received& received);

} // namespace tidemark::remote
