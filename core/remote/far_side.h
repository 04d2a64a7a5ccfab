// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/remote/address.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::remote {

/// What runs on the other machine, and how it answers.
///
///     ssh HOST /bin/sh  <- the script of `farScript`
///                       -> "tidemark-far file zstd 1234 1700000000\n" and the bytes, or
///                          "tidemark-far folder\n" and "time size name\0" of each dump, or
///                          "tidemark-far missing\n", "tidemark-far unreadable\n"
///
/// The script comes through standard input, so the login shell may be any; it needs what POSIX has,
/// and `stat` of GNU, BusyBox, BSD or macOS. Bytes are packed by zstd or gzip where these are there
/// and the file is not packed yet.

std::string farScript(const std::string& path);

enum class FarKind : std::uint8_t { file, folder, missing, unreadable };

struct FarAnswer {
    FarKind kind = FarKind::missing;
    std::uint64_t size = 0; ///< Bytes of the file there, as it is.
    std::int64_t modified = 0; ///< Seconds since 1970.
    bool is_packed = false; ///< What follows is packed on the way.
    std::size_t end = 0; ///< Where in the output the rest begins.
};

/// Finds the answer in the beginning of the output: what a login script printed before is passed
/// over. None: it is not all there yet, or is none.
std::optional<FarAnswer> findAnswer(std::string_view output);

struct FarFile {
    std::string name; ///< In its folder.
    std::uint64_t size = 0;
    std::int64_t modified = 0; ///< Seconds since 1970.
};

/// The dumps of a folder from what follows its answer, the newest first.
std::vector<FarFile> parseListing(std::string_view listing);

} // namespace tidemark::remote
