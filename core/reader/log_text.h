// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/reader/limits.h"

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>

namespace tidemark::reader {

/// The text of a log whose bytes may be packed (`isPackedKind`), up to three levels deep; of an
/// archive all its files, one after another. UTF-16 becomes UTF-8, NULs at the ends are left out.
/// O(unpacked), which is `ReaderLimits::logBytes` at most, all levels together. A packed log that
/// ends too early gives what came before. Errors: badArgument for a snapshot, a checkpoint or other
/// bytes that are no text; tooLarge, cancelled, and those of ArchiveSource where nothing came out.
Result<std::string> logText(std::string bytes, const ReaderLimits& limits = {},
                            const std::stop_token& stop = {});

/// Whether bytes of which these are the first are refused by `logText`, however they go on. Needs
/// no more than `kLogHead` of them.
bool beginsAsNoLog(std::string_view bytes);
inline constexpr std::size_t kLogHead = std::size_t{1} << 16;

} // namespace tidemark::reader
