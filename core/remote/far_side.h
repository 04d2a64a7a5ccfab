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
///                       -> "tidemark-far file zstd 0 1234 1700000000\n" and the bytes, or
///                          "tidemark-far folder\n" and "size time name\0" of each dump, or
///                          "tidemark-far missing\n", "tidemark-far unreadable\n"
///
/// The script comes through standard input, so the login shell may be any; it needs what POSIX has,
/// and `stat` of GNU, BusyBox, BSD or macOS. Bytes are packed by zstd or gzip where these are there
/// and the file is not packed yet: in pieces of `kPieceBytes`, each packed by itself and followed
/// by a mark (`MarkFinder`), so that a copy whose line broke off can be continued.

constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20; ///< Copies are continued at these.
constexpr std::uint64_t kPieceBytes = 8 * kBlockBytes;

enum class Packer : std::uint8_t { none, zstd, gzip };

/// "zstd", "gzip", or "cat" for none.
std::string_view packerName(Packer packer);

/// What of a file is here already.
struct FarPart {
    Packer packer = Packer::none; ///< That packed the bytes that are here.
    std::uint64_t size = 0; ///< Of the whole file, when they came.
    std::int64_t modified = 0; ///< Seconds since 1970.
    std::uint64_t holds = 0; ///< Bytes of the file; a multiple of `kBlockBytes`.
};

/// `key`: letters and digits that the marks bear, so that nothing in the file looks like one.
/// `part`: what need not be sent again if the file there is still the same.
std::string farScript(const std::string& path, const std::string& key = "",
                      const FarPart& part = {});

enum class FarKind : std::uint8_t { file, folder, missing, unreadable };

struct FarAnswer {
    FarKind kind = FarKind::missing;
    std::uint64_t size = 0; ///< Bytes of the file there, as it is; 0: not known.
    std::int64_t modified = 0; ///< Seconds since 1970.
    std::uint64_t from = 0; ///< What follows begins at this byte of the file.
    Packer packer = Packer::none; ///< What packed what follows.
    std::size_t end = 0; ///< Where in the output the rest begins.
};

/// Finds the answer in the beginning of the output: what a login script printed before is passed
/// over. None: it is not all there yet, or is none.
std::optional<FarAnswer> findAnswer(std::string_view output);

struct FarFile {
    std::string name; ///< From its folder, with those between: "step_9/rank0.pickle".
    std::uint64_t size = 0;
    std::int64_t modified = 0; ///< Seconds since 1970.
};

/// The dumps of a folder and of those in it, from what follows its answer, the newest first.
std::vector<FarFile> parseListing(std::string_view listing);

} // namespace tidemark::remote
